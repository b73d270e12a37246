"""The page of `rummy serve` in a real browser: deals played by clicks and by keys, on a desk and on a phone."""

import re
import shutil
import subprocess
import sys

import pytest

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("fastapi", reason="FastAPI is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no Chromium", allow_module_level=True)

COMMAND = [sys.executable, "-c", "import sys; from rummy_env.cli import main; sys.exit(main())", "serve", "--port", "0"]
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def address():
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as server:
        yield re.search(r"http://\S+", server.stdout.readline())[0]
        server.terminate()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture
def opened(browser, address):
    """Open the page; a message on the console, such as one of its security policy, fails the test."""
    messages, context = [], browser.new_context()

    def run(size=DESK):
        sheet = context.new_page()
        sheet.set_viewport_size(size)
        for event in ("console", "pageerror", "requestfailed"):
            sheet.on(event, lambda message: messages.append(str(message)))
        sheet.goto(address)
        return sheet

    yield run
    context.close()
    assert messages == []


def begin(sheet, variant="contract_rummy", players=4, seed=10):
    """Fill the form, and start."""
    sheet.select_option("#variant", variant)
    sheet.select_option("#players", str(players))
    sheet.fill("#seed", str(seed))
    sheet.click("#start")
    sheet.wait_for_selector("#moves button")


def wait(sheet):
    """Until the server has answered."""
    sheet.wait_for_selector("#table:not([hidden]) #hint:enabled, #result[open]", state="attached")


def ended(sheet):
    return sheet.locator("#result[open]").count() > 0


def hands(sheet):
    return sheet.eval_on_selector_all("#hand .pick", "cards => cards.map(card => card.dataset.face).join(' ')")


def offered(sheet):
    """The moves on the screen, in full words."""
    return sheet.eval_on_selector_all("#moves button:not([hidden])", "all => all.map(one => one.dataset.words)")


def assert_nothing_is_cut_or_covered(sheet):
    assert sheet.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = """boxes => boxes.filter(box => [...box.querySelectorAll('.card, button, p, small')].some(part => {
        const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
        return inner.width && (inner.left < outer.left || inner.right > outer.right);
    })).length"""
    assert sheet.eval_on_selector_all(".seat, #middle, #own, header", outside) == 0
    clipped = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
    assert sheet.eval_on_selector_all("button:not(.pick), .seat, #own", clipped) == []
    # Scrolled to, the visible part of a card or button is what a click there meets.
    met = """all => all.filter(one => { one.scrollIntoView({ block: 'start' });
        const box = one.getBoundingClientRect();
        const there = document.elementFromPoint(box.left + Math.min(8, box.width / 2), box.top + box.height / 2);
        return box.width && !one.contains(there); }).map(one => one.outerHTML)"""
    assert sheet.eval_on_selector_all("#own button:enabled, #pile .pick", met) == []


@pytest.mark.parametrize(("size", "variant", "players", "seed"), [
    (DESK, "contract_rummy", 4, 10), (PHONE, "contract_rummy", 4, 10), (PHONE, "basic_rummy", 2, 8),
], ids=["contract-desk", "contract-phone", "basic-phone"])  # fmt: skip
def test_a_deal_is_played_by_clicks(opened, size, variant, players, seed):
    sheet = opened(size)
    begin(sheet, variant, players, seed)
    for number in range(100):
        if number % 4 == 0:
            assert_nothing_is_cut_or_covered(sheet)
        sheet.click("#hint")
        sheet.click("#moves .hinted")
        wait(sheet)
        if ended(sheet):
            break
    title, rows = sheet.text_content("#result-title"), sheet.locator("#result-table tr")
    assert title == "Deal 1 is over" and "went out" in sheet.text_content("#result-text")
    assert rows.count() == 1 + players and "you" in sheet.text_content("#result-table")
    assert sheet.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sheet.click("#close")
    assert "deal 2" in sheet.text_content("#deal")
    assert sheet.locator("#scores tr").count() == 3
    assert "deal 1 ended" in sheet.text_content("#log .end")
    assert number > 5


def test_a_deal_is_played_by_keys(opened):
    sheet = opened()
    sheet.locator("#seed").fill("8")
    sheet.locator("#variant").press("End")  # Basic Rummy
    sheet.keyboard.press("Enter")
    sheet.locator("#start").focus()
    sheet.keyboard.press("Enter")
    sheet.wait_for_selector("#moves button")
    for _ in range(100):
        sheet.keyboard.press("h")
        sheet.wait_for_selector("#moves .hinted:focus")
        sheet.keyboard.press("Enter")
        wait(sheet)
        if ended(sheet):
            break
    sheet.keyboard.press("Enter")
    assert not ended(sheet) and "deal 2" in sheet.text_content("#deal")


def test_cards_that_are_clicked_on_leave_the_moves_with_them(opened):
    sheet = opened()
    begin(sheet)
    sheet.click("#stock button")
    sheet.wait_for_selector("#moves button[data-words^=discard]")
    every, face = offered(sheet), hands(sheet).split()[0]
    assert sheet.locator("#hand .fresh").count() == 1
    sheet.locator("#hand .pick").first.click(position={"x": 5, "y": 20})
    assert offered(sheet) == [words for words in every if face in words] != every
    assert sheet.locator("#hand .pick").first.get_attribute("aria-pressed") == "true"
    sheet.keyboard.press("Escape")
    assert offered(sheet) == every
    sheet.click("#sort")
    assert sorted(hands(sheet).split()) == sorted(face for face in hands(sheet).split())
    ranks = ["A23456789TJQK".find(face[0]) for face in hands(sheet).split() if face != "JK"]
    assert ranks == sorted(ranks)


def test_undo_and_reload(opened):
    sheet = opened()
    begin(sheet)
    before = sheet.text_content("#table")
    sheet.click("#moves button >> nth=0")
    wait(sheet)
    after = sheet.text_content("#table")
    assert after != before
    sheet.reload()
    sheet.wait_for_selector("#moves button")
    assert sheet.text_content("#table") == after
    sheet.keyboard.press("u")
    sheet.wait_for_selector("#undo:disabled")
    sheet.wait_for_selector("#hint:enabled")
    assert sheet.text_content("#table") == before


def test_two_pages_are_two_games(opened):
    first, second = opened(), opened()
    begin(first)
    begin(second, "basic_rummy", 3)
    assert "Contract rummy" in first.text_content("#deal") and "Basic rummy" in second.text_content("#deal")
    first.click("#new")
    assert first.is_visible("#lobby") and first.is_visible("#back")
    first.click("#back")
    assert first.is_visible("#hand") and "Contract rummy" in first.text_content("#deal")


def test_a_table_that_cannot_be_is_explained(opened):
    sheet = opened()
    sheet.fill("#seed", "3.5")
    sheet.click("#start")
    assert "The seed is a whole number" in sheet.text_content("#note")
    sheet.fill("#seed", "")
    sheet.select_option("#players", "8")
    assert sheet.locator("#opponents select").count() == 7


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_eight_players_find_room(opened, size):
    sheet = opened(size)
    begin(sheet, "contract_rummy_two_packs", 8, 2)
    for _ in range(12):
        assert_nothing_is_cut_or_covered(sheet)
        sheet.click("#hint")
        sheet.click("#moves .hinted")
        wait(sheet)
