// Shows what the server says and knows no rule of any game: a move is a place in the list that the server offered.
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const RANK_ORDER = "A23456789TJQK";
const CARD = /(JK\(\w\w\)|\b[A2-9TJQK][CDHS]\b|\bJK\b)/;
const ON_MELD = / (on|in)( (JK\(\w\w\)|\w\w))+(?=,|$)/g;
const GROUPS = [
  ["Draw", /^(draw|take) /, ""], ["Lay", /^lay (?!off)/, /^lay /], ["Lay off", /^lay off /, /^lay off /],
  ["Exchange", /^exchange /, /^exchange /], ["Discard", /^discard /, /^discard /],
];
const SECONDS_TO_RECONNECT = 2;
const SECONDS_TO_WONDER = 0.4;

let socket = null;
let waiting = null;
const WAITING = { new: "The cards are being dealt …", hint: "Looking for a hint …" };
let focused = false;
let setup = null;
let table = null;
let chosen = new Set();
let fresh = new Set();
let byRank = false;

// Cards in words

const faceOf = (text) => (text.length > 2 ? text.slice(3, 5) : text);

function spoken(text) {
  const face = faceOf(text);
  if (face === "JK") return "joker";
  const words = `${RANKS[face[0]] || face[0]} of ${SUITS[face[1]]}`;
  return text === face ? words : `joker as ${words}`;
}

function chip(text) {
  const face = faceOf(text), joker = text.startsWith("JK");
  const colour = face[1] === "D" || face[1] === "H" ? " red" : "";
  const made = element("span", { class: `face${colour}${joker ? " joker" : ""}`, role: "img", "aria-label": spoken(text) });
  if (face === "JK") made.append("joker");
  else made.append(face[0] === "T" ? "10" : face[0], shape(face[1], ""));
  if (joker) made.append(shape("J", "star"));
  return made;
}

// A text with the cards that it names drawn in it.
const phrase = (text) => text.split(CARD).map((piece, place) => (place % 2 ? chip(piece) : piece));

const cardsIn = (words) => new Set(words.match(/\b([A2-9TJQK][CDHS]|JK)\b/g));

// Talking with the server

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play`);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    clearTimeout(waiting);
    answers[message.kind](message);
  });
  socket.addEventListener("close", () => {
    clearTimeout(waiting);
    busy(true);
    note("No connection to the server. Trying again …", true);
    setTimeout(connect, 1000 * SECONDS_TO_RECONNECT);
  });
}

function send(message) {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify(message));
  focused = at("own").contains(document.activeElement);
  busy(true);
  waiting = setTimeout(() => note(WAITING[message.kind] ?? "The others are thinking …"), 1000 * SECONDS_TO_WONDER);
}

const ask = (kind, more) => send({ kind, position: table.position, ...more });

const answers = {
  setup(message) {
    const first = setup === null;
    setup = message;
    note("");
    if (first) fillForm(setup.chosen);
    const token = sessionStorage.getItem("table");
    if (token) send({ kind: "resume", table: token });
    else showForm(true);
  },
  table(message) {
    sessionStorage.setItem("table", message.table);
    const before = table && table.table === message.table ? table : null;
    table = message;
    note("");
    showForm(false);
    showTable(before);
    busy(false);
    const ended = before !== null && table.deals.length > before.deals.length;
    if (ended || (table.over && !before)) showResult();
  },
  hint(message) {
    busy(false);
    chosen.clear();
    showChosen();
    note(["Hint: ", ...phrase(message.words)]);
    const button = at("moves").querySelector(`[data-move="${message.move}"]`);
    button.classList.add("hinted");
    button.scrollIntoView({ block: "nearest" });
    button.focus({ preventScroll: true });
  },
  error(message) {
    busy(false);
    if (message.error === "stale") return send({ kind: "resume", table: table.table });
    if (message.error === "unknown_table") {
      sessionStorage.removeItem("table");
      table = null;
      showForm(true);
    }
    return note(message.text, true);
  },
};

function note(text, wrong = false) {
  at("note").classList.toggle("wrong", wrong);
  at("note").replaceChildren(...[text].flat());
}

function busy(on) {
  for (const button of document.querySelectorAll("#moves button, #stock button, #start")) button.disabled = on;
  at("hint").disabled = on || !table || table.over;
  at("undo").disabled = on || !table || !table.undo;
  at("play_on").disabled = on || !table || table.over;
}

// The form

const titled = (name) => (name[0].toUpperCase() + name.slice(1)).replaceAll("_", " ");
const variant = () => setup.variants.find(({ name }) => name === at("variant").value);
const option = (value, words) => element("option", { value }, words);

function fillForm(choice) {
  at("variant").replaceChildren(...setup.variants.map(({ name, title }) => option(name, titled(title))));
  at("variant").value = choice.variant;
  at("seed").value = choice.seed ?? "";
  fillPlayers(choice.players);
  document.querySelectorAll("#opponents select").forEach((select, number) => {
    select.value = choice.agents[number % choice.agents.length];
  });
}

function fillPlayers(number) {
  const { players: [fewest, most], primer } = variant();
  const range = Array.from({ length: most - fewest + 1 }, (_, more) => fewest + more);
  at("players").replaceChildren(...range.map((players) => option(players, String(players))));
  at("players").value = number;
  document.querySelector("#lobby .primer").replaceChildren(...primer.map((line) => element("li", {}, ...phrase(line))));
  fillOpponents();
}

function fillOpponents() {
  const before = [...document.querySelectorAll("#opponents select")].map(({ value }) => value);
  const others = Array.from({ length: Number(at("players").value) - 1 }, (_, number) => {
    const select = element("select", {}, ...setup.agents.map((name) => option(name, name)));
    select.value = before[number] ?? before.at(-1) ?? setup.chosen.agents.at(-1);
    return element("label", {}, `Opponent ${number + 1}`, select);
  });
  at("opponents").replaceChildren(...others);
}

function showForm(on) {
  at("lobby").hidden = !on;
  at("table").hidden = on || !table;
  at("new").hidden = on;
  at("back").hidden = !table;
  at("contract").hidden = on;
  if (on) at("deal").textContent = "Rummy";
  if (on) busy(false);
}

function start(event) {
  event.preventDefault();
  const seed = at("seed").value.trim(), players = Number(at("players").value);
  if (!/^\d{0,15}$/.test(seed)) return note("The seed is a whole number of at most 15 digits, or nothing.", true);
  return send({
    kind: "new", variant: at("variant").value, players, seed: seed === "" ? null : Number(seed),
    seat: Math.min(setup.chosen.seat, players - 1),
    agents: [...document.querySelectorAll("#opponents select")].map(({ value }) => value),
  });
}

// The table

function showTable(before) {
  const { shown, names, seat, deal } = table;
  const hand = shown.hands[seat].split(" ").filter(Boolean);
  fresh = before && before.deals.length === table.deals.length ? added(before.shown.hands[seat].split(" "), hand) : new Set();
  chosen.clear();
  const of = deal.of === null ? "" : ` of ${deal.of}`;
  const turn = table.over ? "" : ` · turn ${deal.turn} of ${deal.turns}`;
  at("deal").textContent = `${titled(table.rules)} · deal ${deal.number}${of}${turn}`;
  at("contract").textContent = deal.contract === null ? "" : `Contract: ${deal.contract}`;
  at("task").replaceChildren(...phrase(table.task));
  const others = names.map((_, number) => (seat + 1 + number) % names.length).slice(0, -1);
  at("others").replaceChildren(...others.map(showSeat));
  showMiddle();
  at("melds").replaceChildren(meldsOf(seat));
  at("state").replaceChildren("You: ", ...stateOf(seat));
  showHand();
  showMoves();
  showLog();
  at("scores").replaceChildren(scoreSheet());
  const rules = setup.variants.find(({ title }) => title === table.rules);
  document.querySelector("#table .primer").replaceChildren(...rules.primer.map((line) => element("li", {}, ...phrase(line))));
  document.title = table.over ? "rummy: game over" : `rummy: ${table.task}`;
  if (focused) at("moves").querySelector("button")?.focus({ preventScroll: true });
}

// The faces that a hand has more of than before.
function added(before, hand) {
  const left = before.slice(), more = new Set();
  for (const face of hand) {
    const place = left.indexOf(face);
    if (place < 0) more.add(face);
    else left.splice(place, 1);
  }
  return more;
}

const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function stateOf(seat) {
  const { shown } = table, words = [`${plural(count(shown.hands[seat]), "card")} · score ${shown.scores[seat]}`];
  if (shown.down[seat] && !table.over) words.push(" · ", shown.down[seat] === "not down" ? "not down yet" : element("span", { class: "down-mark" }, "down"));
  return words;
}

function meldsOf(seat) {
  const own = table.shown.melds.filter(([owner]) => owner === seat).map(([, meld]) => cards(meld, false));
  return element("div", { class: own.length ? "melds" : "" }, ...own);
}

function showSeat(seat) {
  const { shown, names, log } = table;
  const lastDeal = log.findLastIndex((line) => line.startsWith("deal "));
  const turn = log.slice(lastDeal + 1).findLast((line) => line.startsWith(`${names[seat]}: `));
  const hand = cards(shown.hands[seat], true);
  hand.classList.add("hand");
  return element(
    "div", { class: "seat" },
    element("small", {}, element("span", { class: "name" }, names[seat]), " · ", ...stateOf(seat)),
    hand,
    meldsOf(seat),
    element("p", { class: "last" }, ...phrase(turn ? `last turn: ${turn.slice(names[seat].length + 2).replace(ON_MELD, "")}` : "")),
  );
}

function showMiddle() {
  const { shown, moves } = table, stock = count(shown.stock), pile = shown.discard.split(" ").filter(Boolean);
  const draw = moves.indexOf("draw from the stock");
  const back = card("??", true);
  const top = draw < 0 ? back : element("button", { type: "button", "aria-label": "draw from the stock", title: "draw from the stock" }, back);
  if (draw >= 0) top.addEventListener("click", () => ask("move", { move: draw }));
  at("stock").replaceChildren(element("small", {}, `stock: ${stock}`), element("div", { class: "cards" }, ...(stock || draw >= 0 ? [top] : [])));
  at("pile").replaceChildren(
    element("small", {}, pile.length ? `discard pile: ${plural(pile.length, "card")}, the last is on top` : "discard pile: empty"),
    element("div", { class: "cards" }, ...pile.map(pick)),
  );
}

function pick(face) {
  const made = element("button", { type: "button", class: "pick", "data-face": face, "aria-label": spoken(face) }, card(face, false));
  made.addEventListener("click", () => {
    if (!chosen.delete(face)) chosen.add(face);
    showChosen();
  });
  return made;
}

function showHand() {
  const hand = table.shown.hands[table.seat].split(" ").filter(Boolean);
  if (byRank) hand.sort((one, other) => RANK_ORDER.indexOf(one[0]) * (one !== "JK") - RANK_ORDER.indexOf(other[0]) * (other !== "JK"));
  at("hand").replaceChildren(...hand.map(pick));
  for (const made of at("hand").children) {
    if (!fresh.has(made.dataset.face)) continue;
    made.classList.add("fresh");
    made.title = "new in your hand";
  }
  at("sort").textContent = byRank ? "Sort by suit" : "Sort by rank";
  showChosen();
}

function showMoves() {
  const groups = GROUPS.map(([label, kind, verb]) => {
    const buttons = table.moves.flatMap((words, number) => (kind.test(words) ? [moveButton(words, number, words.replace(verb, ""))] : []));
    return buttons.length ? element("div", { class: "group" }, element("span", {}, label), ...buttons) : null;
  });
  at("moves").replaceChildren(...groups.filter(Boolean));
  showChosen();
}

function moveButton(words, number, brief) {
  const made = element("button", { type: "button", "data-move": number, "data-words": words, title: words }, ...phrase(brief));
  made.addEventListener("click", () => ask("move", { move: number }));
  return made;
}

// Leaves the moves that name every chosen card.
function showChosen() {
  for (const made of document.querySelectorAll(".pick")) made.setAttribute("aria-pressed", chosen.has(made.dataset.face));
  for (const made of at("moves").querySelectorAll("button")) {
    const named = cardsIn(made.dataset.words);
    made.hidden = [...chosen].some((face) => !named.has(face));
    made.classList.remove("hinted");
  }
  for (const group of at("moves").children) group.hidden = !group.querySelector("button:not([hidden])");
  at("clear").hidden = !chosen.size;
  const none = chosen.size && !at("moves").querySelector("button:not([hidden])");
  note(none ? "No move has all these cards. A meld is laid with three; further cards are laid off on it." : "");
}

function showLog() {
  const own = table.log.findLastIndex((line) => line.startsWith("you: "));
  const lines = table.log.map((line, number) => {
    const kind = line.startsWith("deal ") ? "end" : number >= own ? "fresh" : "";
    return element("li", { class: kind }, ...phrase(line));
  });
  at("log").replaceChildren(...lines);
  at("log").scrollTop = at("log").scrollHeight;
}

// Scores

const row = (kind, head, cells) => element("tr", { class: kind }, element("th", {}, head), ...cells.map((cell) => element("td", {}, String(cell))));

function scoreSheet() {
  const brief = table.names.map((_, seat) => (seat === table.seat ? "you" : `p${seat}`));
  const head = element("tr", {}, element("th", {}, "deal"), ...brief.map((name, seat) => element("th", { title: table.names[seat] }, name)));
  const rows = table.deals.map(({ deal, points }) => row("", deal, points));
  const wins = table.better === "low" ? "Points are penalties: the lowest total wins." : "The highest total wins.";
  return element("div", { class: "sheet" }, element("table", {}, head, ...rows, row("total", "total", table.shown.scores)), element("small", {}, wins));
}

function ending({ reason, out, rummy, turns }) {
  if (reason === "blocked") return "Nobody could draw any more.";
  if (reason === "capped") return `Nobody had finished after ${turns} turns, so the deal was stopped.`;
  return `${out === table.seat ? "You" : table.names[out]} went out${rummy ? " with a rummy" : ""}.`;
}

function showResult() {
  const { deals, names, shown, over, winners, better } = table, last = deals.at(-1);
  const seats = names.map((_, seat) => seat).sort((one, other) => (shown.scores[one] - shown.scores[other]) * (better === "low" ? 1 : -1));
  const head = element("tr", {}, ...["", "left in hand", "this deal", "total"].map((words) => element("th", {}, words)));
  const rows = seats.map((seat) => row(
    over && winners.includes(seat) ? "best" : "", names[seat], [last.hand_points[seat], last.points[seat], shown.scores[seat]],
  ));
  const won = winners.includes(table.seat) ? (winners.length > 1 ? "You share the win!" : "You won!") : `${winners.map((seat) => names[seat]).join(" and ")} won.`;
  at("result-title").textContent = over ? `Game over. ${won}` : `Deal ${last.deal} is over`;
  at("result-text").textContent = over ? `Deal ${last.deal}: ${ending(last)}` : ending(last);
  at("result-table").replaceChildren(element("div", { class: "sheet" }, element("table", {}, head, ...rows)));
  const next = table.deal.contract === null ? "" : ` Its contract: ${table.deal.contract}.`;
  at("result-next").textContent = over ? `Seed of this game: ${table.seed}` : `Deal ${table.deal.number} has been dealt.${next}`;
  at("close").textContent = over ? "Look at the table" : "Go on";
  at("again").hidden = !over;
  if (!at("result").open) at("result").showModal();
}

// Buttons and keys

const openForm = () => { at("result").close(); showForm(true); at("variant").focus(); };
const uses = {
  hint: () => ask("hint", {}),
  undo: () => ask("undo", {}),
  play_on: () => ask("play_on", {}),
  sort: () => { byRank = !byRank; showHand(); },
  clear: () => { chosen.clear(); showChosen(); },
  close: () => at("result").close(),
  again: openForm,
  new: openForm,
  back: () => { showForm(false); showTable(table); busy(false); },
};
for (const [id, use] of Object.entries(uses)) at(id).addEventListener("click", use);
at("lobby").addEventListener("submit", start);
at("variant").addEventListener("change", () => fillPlayers(variant().usual));
at("players").addEventListener("change", fillOpponents);
document.addEventListener("keydown", (event) => {
  const use = { h: "hint", u: "undo", p: "play_on", Escape: "clear" }[event.key];
  if (!use || at("table").hidden || at("result").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!at(use).disabled) uses[use]();
});
connect();
