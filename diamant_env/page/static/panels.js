// Panels beside the table: hint, odds, deck and events.

import { bar, byId, make, percent, show } from "./dom.js";

/** Hide the hint. */
export function dropHint() {
  show(byId("hint-panel"), false);
}

/** Show that a hint is being computed. */
export function awaitHint() {
  fillPanel("hint-panel", "hint-title", "Hint", [make("p", { class: "says" }, "Thinking …")]);
}

/** Show the recommended decision and the values of both actions. */
export function drawHint(hint) {
  const bars = ["continue", "leave"].slice(0, hint.choices.length).map((kind, action) => {
    const { share, ...words } = hint.choices[action];
    return bar(`If you ${kind}`, share, { ...words, kind });
  });
  fillPanel("hint-panel", "hint-title", "Hint", [
    make("p", { class: "says" }, hint.says),
    hint.gems === null ? bar(`${hint.adviser} leaves`, hint.leave, { kind: "leave" }) : "",
    ...(bars.length > 0 ? [make("h3", {}, hint.heading), ...bars] : []),
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

/** Show the events up to the shown turn by expedition, the latest first. */
export function drawStory({ latest, position, shown, interlude }) {
  const next = interlude ? `Expedition ${shown.expedition}` : null; // not begun on the table yet
  const known = latest.story.filter(({ turn, heading }) => turn < position || (turn === position && heading !== next));
  const lines = new Map(); // by heading and card
  for (const { heading, card, words, bad } of known) {
    if (!lines.has(heading)) lines.set(heading, new Map());
    const cards = lines.get(heading);
    cards.set(card, [...(cards.get(card) ?? []), make("span", { class: bad ? "bad" : "" }, words)]);
  }
  byId("story").replaceChildren(...[...lines].reverse().flatMap(([heading, cards]) => [
    make("h3", {}, heading),
    make("ol", { class: "plain" }, ...[...cards].reverse().map(([card, spans]) =>
      make("li", {}, make("b", {}, ...(card ? [make("span", { class: "unseen" }, "card "), `${card}`] : [])), make("div", {}, ...spans)))),
  ]));
}

/** Show the cards that are left in the deck, and what has left the game. */
export function drawDeck({ shown, interlude }) {
  show(byId("deck-panel"), shown.deck !== null);
  if (shown.deck === null) return;
  const cards = shown.deck.cards.map((card) => (interlude ? { ...card, left: card.left + card.path, path: 0 } : card));
  const left = cards.reduce((sum, card) => sum + card.left, 0);
  byId("deck-title").textContent = `The deck: ${left} ${left === 1 ? "card" : "cards"} left`;
  byId("deck-cards").replaceChildren(...cards.map((card) => {
    const warned = card.kind === "trap" && card.path > 0;
    const about = `${card.words}: ${card.left} left${warned ? ", one on the path" : ""}`;
    return make("li", { class: `${card.left ? "" : "none"} ${warned ? "warned" : ""}` },
      make("img", { src: card.svg, alt: about, width: 34, height: 46 }), make("span", { "aria-hidden": "true" }, `× ${card.left}`));
  }));
  byId("deck-about").replaceChildren(...shown.deck.about.map((line) => make("li", {}, line)));
}
