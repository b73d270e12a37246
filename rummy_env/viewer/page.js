"use strict";
// Shows what the data says and knows no rule of any game: every table is the one before with its changes.
const game = JSON.parse(document.getElementById("game").textContent);
const COLOURS = ["#ffce54", "#6ec1ff", "#ff8a80", "#9ccc65", "#ce93d8", "#ffb74d", "#80deea", "#f8f8f4"];
const SECONDS_A_STEP = 0.9;

function changed(before, change) {
  if (typeof before === "string" && Array.isArray(change)) return before.slice(0, change[0]) + change[1];
  if (Array.isArray(before) && change !== null && typeof change === "object" && !Array.isArray(change)) {
    const after = before.slice();
    for (const [place, entry] of Object.entries(change)) after[Number(place)] = entry;
    return after;
  }
  return change;
}

const tables = [game.start];
for (const step of game.steps) {
  const table = Object.assign({}, tables[tables.length - 1]);
  for (const [key, change] of Object.entries(step.changes)) table[key] = changed(table[key], change);
  tables.push(table);
}

// A turn begins where another seat is to move, or after the end of a deal.
const ends = new Map(game.deals.map((deal) => [deal.steps, deal]));
const turns = [0];
for (let step = 1; step < tables.length; step += 1) {
  if (tables[step].player !== tables[step - 1].player || ends.has(step)) turns.push(step);
}

let now = 0;
let viewer = game.seat;
let timer = null;

function showTable(table) {
  at("deal").textContent = table.deal;
  at("turn").textContent = table.turn;
  const stock = count(table.stock);
  at("stock").replaceChildren(element("small", {}, `stock ${stock}`), cards(stock ? "??" : "", true));
  const size = count(table.discard);
  at("pile").replaceChildren(element("small", {}, `discard pile ${size}, top card last`), cards(table.discard, false));
  at("seats").replaceChildren(...table.hands.map((hand, seat) => {
    const size = count(hand);
    const words = [game.seats[seat], `score ${table.scores[seat]}`, table.down[seat], `${size} card${size === 1 ? "" : "s"}`];
    const melds = table.melds.filter(([owner]) => owner === seat).map(([, meld]) => cards(meld, false));
    return element(
      "div", { class: seat === table.player ? "seat acting" : "seat" },
      element("small", {}, words.filter(Boolean).join(" · ")),
      cards(hand, viewer !== null && viewer !== seat),
      element("div", { class: "melds" }, ...melds),
    );
  }));
}

function showMoves() {
  const first = Math.max(0, now - 40);
  const lines = [];
  for (let step = first; step < Math.min(game.steps.length, now + 3); step += 1) {
    const { player, words } = game.steps[step];
    const line = element("li", { class: step === now - 1 ? "now" : "" }, `${game.seats[player]}: ${words}`);
    line.addEventListener("click", () => show(step + 1));
    lines.push(line);
  }
  at("moves").replaceChildren(...lines);
  const current = at("moves").querySelector(".now");
  if (current) at("moves").scrollTop = current.offsetTop - at("moves").offsetTop - at("moves").clientHeight / 2;
  at("result").textContent = ends.has(now) ? ends.get(now).text : "";
}

function showDecision() {
  const step = game.steps[now];
  if (!step) return at("decision").replaceChildren("The record ends here.");
  if (!step.legal || (viewer !== null && viewer !== step.player)) {
    return at("decision").replaceChildren(`${game.seats[step.player]} decides; what it may do is hidden from this seat.`);
  }
  const note = step.note || {};
  const shares = note.probabilities;
  const ids = step.legal.slice();
  if (shares) ids.sort((one, other) => (shares[other] || 0) - (shares[one] || 0));
  const rows = ids.map((id) => {
    const words = id === step.action ? step.words : game.actions[id];
    const row = element("tr", { class: id === step.action ? "chosen" : "" }, element("td", {}, words));
    if (shares) {
      const share = shares[id] || 0;
      const bar = element("span", { class: "bar", style: `width: ${(share * 50).toFixed(1)}%` });
      row.append(element("td", {}, bar, `${(100 * share).toFixed(1)} %`));
    }
    return row;
  });
  const head = [element("p", {}, `${game.seats[step.player]} has ${ids.length} legal action${ids.length === 1 ? "" : "s"}`)];
  if (note.value !== undefined) head.push(element("p", {}, `value ${note.value.toFixed(3)}`));
  return at("decision").replaceChildren(...head, element("div", {}, element("table", {}, ...rows)));
}

function showChart() {
  const done = game.deals;
  if (!done.length) return at("chart").replaceChildren("No deal is finished.");
  const all = done.flatMap((deal) => deal.scores).concat(0);
  const low = Math.min(...all), high = Math.max(...all, low + 1);
  const x = (deal) => 34 + 250 * deal / done.length;
  const y = (score) => 120 - 108 * (score - low) / (high - low);
  const picture = vector("svg", { viewBox: "0 0 300 140", role: "img", "aria-label": "scores after each deal" });
  for (const score of [low, high]) {
    picture.append(vector("line", { x1: 34, x2: 284, y1: y(score), y2: y(score), stroke: "#ffffff40" }));
    picture.append(vector("text", { x: 30, y: y(score) + 4, "text-anchor": "end" }, String(score)));
  }
  game.seats.forEach((_, seat) => {
    const points = [[0, 0], ...done.map((deal, number) => [number + 1, deal.scores[seat]])];
    const line = points.map(([deal, score]) => `${x(deal)},${y(score)}`).join(" ");
    picture.append(vector("polyline", { points: line, fill: "none", stroke: COLOURS[seat], "stroke-width": 2 }));
  });
  const passed = done.filter((deal) => deal.steps <= now).length;
  picture.append(vector("line", { class: "here", x1: x(passed), x2: x(passed), y1: 8, y2: 124 }));
  const labels = done.length <= 12 ? 1 : Math.ceil(done.length / 12);
  done.forEach((deal, number) => {
    if (number % labels === 0) picture.append(vector("text", { x: x(number + 1), y: 137, "text-anchor": "middle" }, String(number + 1)));
  });
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const deal = Math.round(((event.clientX - box.left) / box.width * 300 - 34) / 250 * done.length);
    show(deal <= 0 ? 0 : done[Math.min(deal, done.length) - 1].steps);
  });
  const legend = game.seats.map((name, seat) => element(
    "span", {}, element("i", { style: `background: ${COLOURS[seat]}` }), `${name} ${tables[now].scores[seat]}`,
  ));
  const wins = `after each deal; the ${game.better === "low" ? "lowest" : "highest"} wins`;
  return at("chart").replaceChildren(picture, element("div", { class: "legend" }, ...legend), element("small", {}, wins));
}

function show(step) {
  now = Math.max(0, Math.min(tables.length - 1, step));
  at("slider").value = now;
  at("step").textContent = `${now} / ${tables.length - 1}`;
  at("deals").value = String(game.deals.filter((deal) => deal.steps <= now && deal.steps < tables.length - 1).length);
  showTable(tables[now]);
  showMoves();
  showDecision();
  showChart();
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (now < tables.length - 1 ? show(now + 1) : play(false)), 1000 * SECONDS_A_STEP) : null;
  at("play").textContent = on ? "❚❚" : "▶";
}

const turnBefore = () => turns.filter((step) => step < now).pop() ?? 0;
const turnAfter = () => turns.find((step) => step > now) ?? tables.length - 1;
const dealStarts = [0, ...game.deals.map((deal) => deal.steps).filter((steps) => steps < tables.length - 1)];

const moves = {
  first: () => show(0),
  "back-turn": () => show(turnBefore()),
  back: () => show(now - 1),
  play: () => play(timer === null),
  next: () => show(now + 1),
  "next-turn": () => show(turnAfter()),
  last: () => show(tables.length - 1),
};
for (const [id, move] of Object.entries(moves)) at(id).addEventListener("click", move);

const keys = {
  ArrowLeft: moves.back, ArrowRight: moves.next, PageUp: moves["back-turn"], PageDown: moves["next-turn"],
  Home: moves.first, End: moves.last, " ": moves.play,
};
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

at("slider").max = tables.length - 1;
at("slider").addEventListener("input", () => show(Number(at("slider").value)));
dealStarts.forEach((_, number) => at("deals").append(element("option", { value: number }, `deal ${number + 1} of ${dealStarts.length}`)));
at("deals").addEventListener("change", () => show(dealStarts[Number(at("deals").value)]));
const viewers = game.seat === null ? [["", "all cards"], ...game.seats.map((name, seat) => [seat, `${name}'s view`])]
  : [[game.seat, `${game.seats[game.seat]}'s view`]];
for (const [value, words] of viewers) at("viewer").append(element("option", { value }, words));
at("viewer").addEventListener("change", () => {
  viewer = at("viewer").value === "" ? null : Number(at("viewer").value);
  show(now);
});
document.title = game.title;
show(0);
