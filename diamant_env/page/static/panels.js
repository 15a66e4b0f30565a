// Panels beside the table: hint, odds and events.

import { bar, byId, make, percent, show } from "./dom.js";

const MOST_HEADLINES = 40;

/** Hide the hint. */
export function dropHint() {
  show(byId("hint-panel"), false);
}

/** Show that a hint is being computed. */
export function awaitHint() {
  fillPanel("hint-panel", "hint-title", "Hint", [make("p", { class: "says" }, "The champion thinks …")]);
}

/** Show the champion's decision and the win shares of both actions. */
export function drawHint(hint) {
  const { search } = hint;
  const bars = [];
  if (search !== null) {
    const choices = [["continue", search.continue, search.error_continue], ["leave", search.leave, search.error_leave]];
    bars.push(make("h3", {}, "Games won by each choice"));
    for (const [choice, share, error] of choices) {
      const words = `${percent(share)} ± ${percent(error)}`;
      bars.push(bar(`If you ${choice}`, share, { words, low: share - error, high: share + error, kind: choice }));
    }
  }
  fillPanel("hint-panel", "hint-title", "Hint", [
    make("p", { class: "says" }, hint.says),
    bar("Champion leaves", hint.leave, { kind: "leave" }),
    ...bars,
    make("p", { class: "quiet" }, hint.basis),
  ]);
}

/** Show the odds of the next card and the payoffs of leaving. */
export function drawOdds(odds) {
  fillPanel("odds-panel", "odds-title", "Odds of the next card", [
    ...odds.next.map((each) => bar(each.what, each.chance, {
      words: percent(each.chance, 1), kind: each.part ? "part" : each.what.replaceAll(" ", "-"),
    })),
    make("p", {}, odds.on_average),
    make("h3", {}, "Leaving now brings"),
    make("ul", { class: "plain" }, ...odds.leaving.map((line) => make("li", {}, line))),
  ]);
}

/** Replace the content of a panel and show it. */
export function fillPanel(id, titleId, title, content) {
  byId(id).replaceChildren(make("h2", { id: titleId }, title), ...content);
  show(byId(id), true);
}

/** Show the known events up to the shown turn, the latest first. */
export function drawStory(session) {
  const known = session.views.slice(0, session.position + 1).filter(Boolean).slice(-MOST_HEADLINES).reverse();
  byId("story").replaceChildren(...known.map((view) => make("li", {},
    make("b", {}, view.title),
    ...view.headlines.map((line) => make("span", { class: view.ended?.bust && line === view.headlines[0] ? "bad" : "" }, line)))));
}
