// The panels beside the table: a hint, the odds, and what happened.

import { bar, byId, make, percent, show } from "./dom.js";

const MOST_NEWS = 40;

/** Take the hint away. */
export function dropHint() {
  show(byId("hint-panel"), false);
}

/** Say that the champion is asked. */
export function awaitHint() {
  fillPanel("hint-panel", "hint-title", "Hint", [make("p", { class: "says" }, "The champion thinks …")]);
}

/** Show what the champion would do, and what both choices win. */
export function drawHint(hint) {
  const { search } = hint;
  const bars = [];
  if (search !== null) {
    const choices = [["continue", search.continue, search.error_continue], ["leave", search.leave, search.error_leave]];
    bars.push(make("h3", {}, "What both choices win"));
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

/** Show the odds of the next card and what leaving brings. */
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

/** Replace what a panel shows, and show it. */
export function fillPanel(id, titleId, title, content) {
  byId(id).replaceChildren(make("h2", { id: titleId }, title), ...content);
  show(byId(id), true);
}

/** Show what the turns up to the shown one brought, as far as they are known, the latest first. */
export function drawStory(sitting) {
  const known = sitting.views.slice(0, sitting.position + 1).filter(Boolean).slice(-MOST_NEWS).reverse();
  byId("story").replaceChildren(...known.map((view) => make("li", {},
    make("b", {}, view.title),
    ...view.news.map((line) => make("span", { class: view.ended?.bust && line === view.news[0] ? "bad" : "" }, line)))));
}
