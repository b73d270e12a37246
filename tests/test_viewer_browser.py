"""The page of a replay in a real browser: a headless Chromium, where there is one, that is asked for no network."""

import json
import shutil

import pytest

from rummy_env.viewer import page
from rummy_env.viewer.steps import page_data, shown
from tests.replays import recorded

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no Chromium", allow_module_level=True)

DESK, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("seven") / "g.jsonl", players=4, agent="greedy", notes=True)


@pytest.fixture
def opened(browser, record, tmp_path):
    """Open the page of the seven deals, or of another record; a message on the console fails the test."""
    messages, context = [], browser.new_context()

    def run(of=record, seat=None, size=DESK):
        path = tmp_path / "game.html"
        path.write_text(page(of, seat), encoding="utf-8")
        sheet = context.new_page()
        sheet.set_viewport_size(size)
        for event in ("console", "pageerror", "requestfailed"):
            sheet.on(event, lambda message: messages.append(str(message)))
        sheet.goto(path.as_uri())
        return sheet

    yield run
    context.close()
    assert messages == []


def hands(sheet):
    """The cards of every hand as the page shows them, ``"??"`` for a back."""
    script = """seats => seats.map(seat => [...seat.querySelector('.cards').children]
        .map(card => card.classList.contains('down') ? '??' : card.title).join(' '))"""
    return sheet.eval_on_selector_all(".seat", script)


def step(sheet):
    return int(sheet.text_content("#step").split(" / ")[0])


def test_seven_deals_are_quick_and_small(opened, record):
    assert len(record.deals) == 7
    sheet = opened()
    sheet.screenshot()
    (paint,) = sheet.evaluate("performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)")
    assert paint < 1000
    assert len(page(record).encode()) < 3_000_000


def test_the_program_in_the_page_goes_through_every_position(opened, record):
    told = json.loads(opened().evaluate("JSON.stringify(tables)"))
    game = record.start_game()
    assert told[0] == shown(game)
    for table, action in zip(told[1:], record.actions, strict=True):
        game.apply(action)
        assert table == shown(game)


def test_keys_buttons_slider_and_deals_move(opened, record):
    sheet = opened()
    ends = [deal["steps"] for deal in page_data(record)["deals"]]
    last = len(record.actions)
    assert step(sheet) == 0
    for use, there in (
        (lambda: sheet.keyboard.press("ArrowRight"), 1),
        (lambda: sheet.click("#next"), 2),
        (lambda: sheet.keyboard.press("ArrowLeft"), 1),
        (lambda: sheet.click("#back"), 0),
        (lambda: sheet.keyboard.press("End"), last),
        (lambda: sheet.keyboard.press("Home"), 0),
        (lambda: sheet.select_option("#deals", "2"), ends[1]),
        (lambda: sheet.fill("#slider", str(ends[4])), ends[4]),
        (lambda: sheet.click("#first"), 0),
        (lambda: sheet.click("#last"), last),
    ):
        use()
        assert step(sheet) == there
    sheet.click("#first")
    sheet.evaluate("document.activeElement.blur()")
    before = sheet.text_content(".seat.acting small").split()[0]
    sheet.keyboard.press("PageDown")
    assert sheet.text_content(".seat.acting small").split()[0] != before
    sheet.keyboard.press("PageUp")
    assert step(sheet) == 0
    sheet.keyboard.press(" ")
    playwright.expect(sheet.locator("#step")).to_have_text(f"1 / {last}")
    sheet.keyboard.press(" ")


def test_the_view_of_a_seat_hides_the_other_hands(opened, record):
    sheet, game = opened(), record.start_game()
    everything = game.to_dict()["hands"]
    assert hands(sheet) == everything
    sheet.select_option("#viewer", "2")
    hidden = [" ".join(["??"] * len(hand.split())) for hand in everything]
    assert hands(sheet) == [*hidden[:2], everything[2], hidden[3]]
    if game.player != 2:
        assert "hidden from this seat" in sheet.text_content("#decision")
    alone = opened(seat=2)
    assert hands(alone) == [*hidden[:2], everything[2], hidden[3]]
    assert alone.eval_on_selector_all("#viewer option", "options => options.length") == 1


def test_a_decision_has_its_probabilities_value_and_choice(opened, record):
    sheet = opened()
    sheet.keyboard.press("ArrowRight")
    note, game = record.notes[1], record.start_game()
    game.apply(record.actions[0])
    assert sheet.locator("#decision tr").count() == len(game.legal_actions())
    assert f"value {note['value']:.3f}" in sheet.text_content("#decision")
    chosen = sheet.text_content("#decision tr.chosen")
    share = 100 * note["probabilities"][str(record.actions[1])]
    assert game.describe(record.actions[1]) in chosen
    assert chosen.endswith(f"{share:.1f} %")


def test_the_end_shows_result_and_scores(opened, record):
    sheet = opened()
    sheet.keyboard.press("End")
    assert "deal 7 ended" in sheet.text_content("#result")
    assert "won" in sheet.text_content("#turn")
    for seat, score in enumerate(record.scores):
        assert f"player_{seat} {score}" in sheet.text_content("#chart .legend")
    assert sheet.locator("#chart polyline").count() == 4


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("players", [2, 8])
def test_nothing_is_cut_or_covered(opened, tmp_path, size, players):
    rules = {"preset": "contract_rummy", "deals": [7], "max_turns_per_deal": 120}
    sheet = opened(recorded(tmp_path / "g.jsonl", rules, players), size=size)
    for at in (0, 40, 80, 10**6):
        sheet.evaluate(f"show({at})")
        assert sheet.evaluate("document.documentElement.scrollWidth <= innerWidth")
        outside = """boxes => boxes.filter(box => [...box.querySelectorAll('.card')].some(card => {
            const [inner, outer] = [card.getBoundingClientRect(), box.getBoundingClientRect()];
            return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
        })).length"""
        assert sheet.eval_on_selector_all(".seat, #middle", outside) == 0
