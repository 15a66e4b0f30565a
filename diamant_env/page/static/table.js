// Drawing of a view: the cave with its cards and the players in cave and camp.

import { bar, byId, icon, make, percent, show, tint } from "./dom.js";

let colours = [];

/** Take the colours of the seats from the menu. */
export function useColours(menu) {
  colours = menu.seat_colours;
}

/** Return the colour of a seat. */
export const colourOf = (seat) => colours[seat];

/**
 * Draw a view. The end of an expedition is drawn twice: first the whole path with all players in camp (`interlude`),
 * then the first card of the next expedition. `fresh` animates new cards.
 */
export function drawTable(view, { interlude = false, fresh = false } = {}) {
  const ended = interlude || view.over ? view.ended : null;
  const bust = ended !== null && ended.bust;
  byId("title").textContent = interlude ? view.ended.title : view.title;
  document.title = `${byId("title").textContent} · Diamant`;
  drawExpeditions(view, interlude);
  drawHeadlines(view, interlude);
  const cave = byId("cave");
  cave.classList.toggle("bust", bust);
  cave.classList.toggle("shaken", bust && fresh);
  cave.classList.toggle("home", ended !== null && !bust);
  drawPath(ended === null ? view.path : ended.path, fresh, ended === null);
  byId("path-contents").replaceChildren(...(ended === null ? [icon("gem"), `On the path: ${view.path_contents}`] : []));
  show(byId("gauge"), ended === null && view.mode !== "play");
  byId("gauge").textContent = `Bust with the next card: ${percent(view.bust)}`;
  drawSeats(view, interlude);
}

function drawExpeditions(view, interlude) {
  const now = view.over ? view.expeditions + 1 : view.expedition - (interlude ? 1 : 0);
  const gates = Array.from({ length: view.expeditions }, (_, index) => {
    const done = index + 1 < now || (interlude && index + 1 === now);
    const kind = done ? "done" : index + 1 === now ? "now" : "";
    return make("span", { class: `gate ${kind}` }, icon("entrance"), done ? icon("barricade", "over") : null);
  });
  byId("expeditions").replaceChildren(...gates);
  byId("expeditions").setAttribute("aria-label", byId("title").textContent);
}

function drawHeadlines(view, interlude) {
  const lines = [view.headlines[0], interlude ? "" : view.headlines[1]];
  for (const [id, line] of [["led-to", lines[0]], ["came-up", lines[1]]]) {
    if (byId(id).textContent !== line) byId(id).textContent = line;
  }
}

/** Draw the cards; existing elements are reused, so that only new cards turn over. */
function drawPath(cards, fresh, goesOn) {
  const path = byId("path");
  path.querySelector(".deck")?.remove();
  const known = [...path.children];
  const same = known.length <= cards.length && known.every((item, at) => item.dataset.svg === cards[at].svg);
  if (!same) path.replaceChildren();
  cards.forEach((card, at) => {
    const item = path.children[at] ?? path.appendChild(newCard(card, at, fresh && (card.new || at === cards.length - 1)));
    item.classList.toggle("new", card.new);
    item.classList.toggle("fatal", card.fatal);
    item.classList.toggle("taken", card.taken);
    item.querySelector("img").alt = words(card);
  });
  if (goesOn) path.append(make("li", { class: "card deck", "aria-hidden": "true" }, cardBack()));
  for (const rows of [1, 2, 3]) path.style.setProperty(`--in-${rows}`, Math.ceil(path.children.length / rows));
}

function newCard(card, at, turns) {
  const face = make("img", { src: card.svg, alt: "", width: 100, height: 136 });
  const inner = make("span", { class: "inner" }, face, turns ? cardBack() : null);
  const item = make("li", { class: `card ${turns ? "turning" : ""}` }, inner, make("span", { class: "number" }, `${at + 1}`));
  item.dataset.svg = card.svg;
  return item;
}

const cardBack = () => make("span", { class: "back" }, icon("gem"));

const words = (card) =>
  `${card.words}${card.fatal ? ", ended the expedition" : ""}${card.taken ? ", taken" : ""}`;

function drawSeats(view, interlude) {
  const list = byId("seats");
  if (list.children.length !== view.seats.length || list.dataset.names !== namesOf(view)) {
    list.replaceChildren(...view.seats.map((seat, at) => newSeat(seat, at, view)));
    list.dataset.names = namesOf(view);
    list.dataset.players = view.seats.length;
    list.dataset.mode = view.mode;
  }
  view.seats.forEach((seat, at) => drawSeat(list.children[at], seat, seat.inside && !interlude));
}

const namesOf = (view) => view.seats.map((seat) => seat.name).join("\n");

function newSeat(seat, at, view) {
  const explorer = make("span", { class: "explorer" }, icon(`explorer-${at}`));
  const light = make("span", { class: "light" }, icon("torch"));
  return tint(
    make("li", { class: `seat ${at === view.you ? "you" : ""}` },
      make("span", { class: "unseen spoken" }),
      make("span", { class: "picture", "aria-hidden": "true" },
        make("span", { class: "verdict" }),
        make("span", { class: "in-cave" }, light, make("span", { class: "bag" })),
        make("span", { class: "in-camp" }, icon(`tent-${at}`, "tent"), make("span", { class: "chest" })),
        explorer,
        make("span", { class: "crown" }, icon("crown"))),
      make("span", { class: "name", "aria-hidden": "true", title: seat.name }, make("span", {}, seat.name)),
      make("span", { class: "chance" })),
    colourOf(at));
}

function drawSeat(item, seat, inside) {
  const part = (name) => item.querySelector(`.${name}`);
  item.classList.toggle("inside", inside);
  item.classList.toggle("winner", seat.winner);
  const [kind] = seat.last_decision.split(" ");
  part("verdict").className = `verdict ${kind === "-" ? "none" : kind}`;
  part("verdict").textContent = kind === "-" ? "" : seat.last_decision;
  part("bag").replaceChildren(...(inside ? [icon("bag"), make("b", {}, `${seat.bag}`), caption("bag", "at risk")] : []));
  part("chest").replaceChildren(
    icon(seat.chest === null ? "closed-chest" : "open-chest"),
    make("b", {}, seat.chest === null ? "?" : `${seat.chest}`),
    caption("chest", "safe"),
    make("span", { class: "relics" }, ...(seat.relics ? [icon("relic"), `× ${seat.relics}`] : [])));
  part("chance").replaceChildren(...(seat.leave === null ? [] : [bar("leaves", seat.leave)]));
  part("spoken").textContent = spoken(seat, inside);
}

const caption = (what, words) => make("small", {}, make("span", {}, `${what}: `), words);

/** Return a seat in words for screen readers. */
function spoken(seat, inside) {
  const place = inside ? `in the cave with ${seat.bag} in the bag` : "in camp";
  const chest = seat.chest === null ? "chest hidden" : `chest ${seat.chest}`;
  const relics = seat.relics ? `, relics ${seat.relics}` : "";
  const decision = seat.last_decision === "-" ? "" : `, last decision: ${seat.last_decision}`;
  return `${seat.name}: ${place}, ${chest}${relics}${decision}${seat.winner ? ", winner" : ""}`;
}
