"""The pages of the site: their programs run and print what the pages show, and every environment has a page.

``python -m tests.test_docs`` writes what the programs print into the pages.
"""

import re

import pytest

from rummy_env.envs import AEC_ENVS, SEAT_ENVS
from tests.pages import DOCS, blocks, run, skip_without_its_libraries

BETWEEN = "--- next part ---"
SHOWN = re.compile(r"^```text\n.*?^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "integrations" and blocks(page, "python")]


def with_output(page):
    """The text of a page with what its programs print in the `text` block after each.

    The programs of a page are one program in parts. A part that prints something is followed by a `text` block.
    """
    parts = blocks(page, "python")
    program = f"print({BETWEEN!r})\n".join(parts)
    skip_without_its_libraries(program)
    printed = [output for output in run(program, "-W", "error").split(f"{BETWEEN}\n") if output]
    text = page.read_text("utf-8")
    shown = SHOWN.findall(text)
    assert len(shown) == len(printed), f"{page.name}: {len(printed)} parts print something, {len(shown)} are shown"
    listings = iter(printed)
    return SHOWN.sub(lambda _: f"```text\n{next(listings)}```", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_programs_print_what_the_page_shows(page):
    assert with_output(page) == page.read_text("utf-8")


def test_every_environment_has_a_page():
    pages = "\n".join(page.read_text("utf-8") for page in (DOCS / "environments").glob("*.md"))
    for module in AEC_ENVS.values():
        assert f"::: {module}.raw_env" in pages
    for env_id in SEAT_ENVS:
        assert env_id in pages


def main():
    """Write what the programs print into the pages."""
    for page in PAGES:
        page.write_text(with_output(page), "utf-8")


if __name__ == "__main__":
    main()
