"""The programs on the pages of `docs/integrations` run, each in a process of its own, where their library is there."""

import pytest

from tests.pages import DOCS, blocks, run, skip_without_its_libraries

PAGES = sorted((DOCS / "integrations").glob("*.md"))


def test_every_page_has_a_program():
    assert len(PAGES) == 6
    assert all(blocks(page, "python") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page):
    for program in blocks(page, "python"):
        skip_without_its_libraries(program)
        run(program)
