"use strict";
// Cards as elements, for every page that shows a table.
const at = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function vector(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const shape = (suit, kind) => vector("svg", { class: kind }, vector("use", { href: `#${suit}` }));

function card(text, hidden) {
  if (hidden || text === "??") return element("span", { class: "card down", title: "a hidden card" });
  const joker = text.startsWith("JK");
  const face = text.length > 2 ? text.slice(3, 5) : text;
  if (face === "JK") {
    return element("span", { class: "card joker wild", title: "JK" }, element("b", {}, "JK"), shape("J", "large"));
  }
  const colour = face[1] === "D" || face[1] === "H" ? " red" : "";
  const rank = face[0] === "T" ? element("b", { class: "ten" }, "10") : element("b", {}, face[0]);
  const made = element("span", { class: `card${colour}${joker ? " joker" : ""}`, title: text }, rank);
  made.append(shape(face[1], ""), shape(face[1], "large"));
  if (joker) made.append(shape("J", "star"));
  return made;
}

function cards(text, hidden) {
  return element("div", { class: "cards" }, ...text.split(" ").filter(Boolean).map((one) => card(one, hidden)));
}

const count = (text) => text.split(" ").filter(Boolean).length;
