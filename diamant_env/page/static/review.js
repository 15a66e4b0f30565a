// Result and review of a game: costs of decisions and a chart of the chances.

import { button, byId, make, makeSvg, percent, tint } from "./dom.js";
import { fillPanel } from "./panels.js";
import { colourOf } from "./table.js";

const FIRST = 3; // decisions that are shown at once
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [420, 254, 40, 12, 26, 40]; // of the chart, and its margins

/** Show the result of a game. */
export function drawResult(view) {
  const head = ["Player", "Chest", "Relics", ...view.result.rows[0].banked.map((_, at) => `${at + 1}`)];
  const rows = view.result.rows.map((row) => tint(
    make("tr", { class: row.winner ? "winner" : "" },
      make("th", { scope: "row" }, make("span", { class: "dot", "aria-hidden": "true" }), row.name),
      make("td", {}, make("b", {}, `${row.chest}`)), make("td", {}, `${row.relics}`),
      ...row.banked.map((gems) => make("td", { class: gems === "bust" ? "bad" : "" }, `${gems}`))),
    colourOf(row.seat)));
  fillPanel("result-panel", "result-title", "Result", [
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Result by expedition" }, tableOf(head, rows)),
  ]);
}

function tableOf(head, rows) {
  const cells = head.map((words) => make("th", { scope: "col" }, words));
  return make("table", {}, make("thead", {}, make("tr", {}, ...cells)), make("tbody", {}, ...rows));
}

/** Show that the review is being computed. */
export function awaitReview() {
  fillPanel("review-panel", "review-title", "Your game, reviewed", [
    make("p", { class: "quiet" }, "Reviewing each of your decisions …"),
  ]);
}

/** Show a review. A click on a decision, or on the chart, calls `go` with the number of turns played before it. */
export function drawReview(review, view, go) {
  const items = review.decisions.map((decision, at) => make("li", { hidden: at >= FIRST },
    button([make("b", {}, decision.loss), make("span", {}, decision.words)], () => go(decision.turn))));
  const more = button(`Show all ${items.length}`, () => {
    items.forEach((item) => { item.hidden = false; });
    items[FIRST].firstChild.focus();
    more.remove();
  });
  fillPanel("review-panel", "review-title", "Your game, reviewed", [
    ...review.summary.map((sentence) => make("p", {}, sentence)),
    ...(items.length > 0 ? [make("h3", {}, "Costly decisions, the costliest first"), make("ol", { class: "plain decisions" }, ...items)] : []),
    ...(items.length > FIRST ? [more] : []),
    ...(view.seats.length > 1 ? [make("h3", {}, "Everyone's chance to win"), drawChart(review, view, go)] : []),
  ]);
}

/** Move the mark in the chart to a turn. */
export function markTurn(turn) {
  const mark = byId("mark");
  if (mark) mark.setAttribute("transform", `translate(${mark.dataset.left * 1 + turn * mark.dataset.step} 0)`);
}

function drawChart(review, view, go) {
  const turns = review.chances.length - 1;
  const step = (WIDTH - LEFT - RIGHT) / turns;
  const x = (turn) => LEFT + turn * step;
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const names = view.seats.map((seat) => seat.name);
  const lines = names.map((_, seat) => review.chances.map((shares, turn) => `${x(turn)},${y(shares[seat])}`).join(" "));
  const picture = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": inWords(review, names) },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      makeSvg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }),
      makeSvg("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share)),
    ]),
    ...review.labels.flatMap((label, turn) => (label.endsWith(".1") ? [
      makeSvg("line", { class: "grid", x1: x(turn), x2: x(turn), y1: TOP, y2: y(0) }),
      makeSvg("text", { x: x(turn) + 3, y: HEIGHT - 24 }, label.split(".")[0]),
    ] : [])),
    makeSvg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "Expedition"),
    makeSvg("line", { id: "mark", class: "mark", y1: TOP, y2: y(0), "data-left": LEFT, "data-step": step }),
    ...lines.map((points, seat) => tint(makeSvg("polyline", { points, class: seat === view.you ? "own" : "" }), colourOf(seat))));
  picture.addEventListener("click", (event) => {
    const at = (event.offsetX * WIDTH) / picture.clientWidth;
    go(Math.min(turns, Math.max(0, Math.round((at - LEFT) / step))));
  });
  const legend = names.map((name, seat) => tint(
    make("li", {}, make("span", { class: "dot", "aria-hidden": "true" }), name), colourOf(seat)));
  const rows = review.chances.map((shares, turn) => make("tr", {},
    make("th", { scope: "row" }, review.labels[turn] ?? "end"), ...shares.map((share) => make("td", {}, percent(share)))));
  return make("figure", {}, picture,
    make("figcaption", {}, make("ul", { class: "plain legend" }, ...legend)),
    make("details", {}, make("summary", {}, "The curve in numbers"),
      make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Chances by turn" }, tableOf(["Turn", ...names], rows))));
}

function inWords(review, names) {
  const at = (turn) => names.map((name, seat) => `${name} ${percent(review.chances.at(turn)[seat])}`).join(", ");
  return `Chances to win by turn. At the start: ${at(0)}. Before the last turn: ${at(-2)}. At the end: ${at(-1)}.`;
}
