// Start screen: players, rules and stored games.

import { button, byId, icon, make, show, tint } from "./dom.js";
import { local, storedGames } from "./games.js";

const TABLE = "diamant:table"; // storage key of the last choice
const YOU = "you";
const MOST_GAMES = 4; // offered to resume

let menu;
let chosen; // {edition, agents, chests}

/** Build the screen; `begin` is called with the message for a new game, `resume` with the key of a stored one. */
export function prepareStart(offered, begin, resume) {
  menu = offered;
  chosen = lastChoice();
  byId("edition").append(...menu.editions.map(({ name, title }) => make("option", { value: name }, title)));
  byId("edition").addEventListener("change", () => choose({ edition: byId("edition").value }));
  byId("chests").addEventListener("change", () => choose({ chests: byId("chests").value }));
  byId("fewer").addEventListener("click", () => resize(chosen.agents.length - 1));
  byId("more").addEventListener("click", () => resize(chosen.agents.length + 1));
  byId("play").addEventListener("click", () => begin(message(chosen.agents)));
  byId("watch").addEventListener("click", () => begin(message(chosen.agents.map((text) => (text === YOU ? other() : text)))));
  showGames = () => drawGames(resume);
  draw();
}

let showGames;

/** Show the stored games. */
export function refreshStart() {
  showGames();
}

/** Return the chosen edition. */
export const chosenEdition = () => menu.editions.find(({ name }) => name === chosen.edition);

const other = () => menu.agents[0].text;

const rules = () => chosenEdition().chests[chosen.chests] ?? chosen.edition;

/** Return the agents that can play the chosen game. */
const offered = () => menu.agents.filter(({ editions }) =>
  editions === null || (chosen.agents.length === 2 && editions.includes(rules())));

function message(agents) {
  return { edition: rules(), agents, seed: null };
}

/** Return the last choice if it and the default are still offered, else the menu's. */
function lastChoice() {
  try {
    const last = JSON.parse(local.getItem(TABLE));
    const texts = [YOU, ...menu.agents.map(({ text }) => text)];
    const fits = menu.editions.some(({ name }) => name === last.edition) && last.agents.every((text) => texts.includes(text))
      && last.instead === JSON.stringify(menu.default);
    if (fits && last.agents.length >= menu.players[0] && last.agents.length <= menu.players[1]) return last;
  } catch {
    // no valid stored choice
  }
  return { ...menu.default, chests: "", instead: JSON.stringify(menu.default) };
}

function choose(change) {
  chosen = { ...chosen, ...change };
  local.setItem(TABLE, JSON.stringify(chosen));
  draw();
}

function resize(players) {
  if (players < menu.players[0] || players > menu.players[1]) return;
  const { agents } = chosen;
  choose({ agents: players > agents.length ? [...agents, other()] : agents.slice(0, players) });
}

function sit(seat, text) {
  const agents = chosen.agents.map((each, at) => (at === seat ? text : text === YOU && each === YOU ? other() : each));
  choose({ agents });
  byId("chairs").children[seat].querySelector("select").focus();
}

function draw() {
  const texts = [YOU, ...offered().map(({ text }) => text)];
  chosen.agents = chosen.agents.map((text) => (texts.includes(text) ? text : other()));
  const { agents } = chosen;
  byId("edition").value = chosen.edition;
  byId("chests").options[0].textContent = `as in this edition: ${chosenEdition().hidden_chests ? "hidden" : "open to all"}`;
  byId("chests").value = chosen.chests;
  byId("player-count").textContent = `${agents.length} ${agents.length === 1 ? "player" : "players"}`;
  byId("fewer").setAttribute("aria-disabled", agents.length === menu.players[0]);
  byId("more").setAttribute("aria-disabled", agents.length === menu.players[1]);
  byId("edition-about").textContent = `Rules and cards: ${chosenEdition().description}.`;
  const plays = agents.includes(YOU);
  byId("play-label").textContent = plays ? "Play" : "Watch";
  show(byId("watch"), plays);
  const others = agents.filter((text) => text !== YOU).map((text) => labelOf(text).replace(/^The /, "the "));
  byId("against").textContent = `${plays ? "Against" : "Between"} ${others.join(", ") || "the cave alone"}`;
  byId("chairs").replaceChildren(...agents.map(chair));
}

const labelOf = (text) => menu.agents.find((agent) => agent.text === text).label;

function chair(text, seat) {
  const offers = [{ text: YOU, name: "You" }, ...offered()];
  const select = make("select", { "aria-label": `Seat ${seat + 1}` },
    ...offers.map((offer) => make("option", { value: offer.text, selected: offer.text === text }, offer.name)));
  select.addEventListener("change", () => sit(seat, select.value));
  const about = text === YOU ? "that is your seat" : menu.agents.find((agent) => agent.text === text).about;
  return tint(make("li", { class: text === YOU ? "you" : "" }, icon(`explorer-${seat}`), select, make("p", { class: "quiet" }, about)),
    menu.seat_colours[seat]);
}

function drawGames(resume) {
  const games = storedGames().slice(0, MOST_GAMES);
  show(byId("stored"), games.length > 0);
  byId("stored-list").replaceChildren(...games.map(({ key, title, against, winners, chest, saved }) => {
    const words = [
      make("b", {}, winners ? "Look again" : "Go on"),
      make("span", {}, winners ? `Won by ${winners}` : title, chest === undefined ? "" : ` · you: ${chest}`),
      make("span", {}, `${chest === undefined ? "Between" : "Against"} ${against || "the cave alone"}`),
      make("span", { class: "quiet" }, new Date(saved).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })),
    ];
    return make("li", {}, button(words, () => resume(key)));
  }));
}
