// Actions of buttons and keys, and navigation between start screen and table.

import { byId, make, show } from "./dom.js";
import { isPersistent, lastHere, newKey, onElsewhere, rememberHere, storedGame, storeGame, takeOver } from "./games.js";
import { awaitHint, drawDeck, drawHint, drawOdds, drawStory, dropHint } from "./panels.js";
import { awaitReview, drawResult, drawReview, markTurn } from "./review.js";
import { ask, Refused } from "./server.js";
import { complain, Session } from "./session.js";
import { prepareRecords } from "./files.js";
import { chosenEdition, prepareStart, refreshStart } from "./start.js";
import { drawTable, useColours } from "./table.js";

const GROUPS = ["decide", "interlude", "camp", "after", "steps"];
const FIRST_BUTTON = { decide: "continue", interlude: "go-on", camp: "skip", steps: "run", elsewhere: "take-over" };
const KEYS = {
  c: "continue", l: "leave", h: "hint", o: "odds", s: "skip", p: "run", ArrowLeft: "back", ArrowRight: "step", "?": "help-button",
};
const NEXT = ["go-on", "next-turn", "step"]; // buttons of key N, the first visible one

const FRAMED = self !== top; // in a page of the documentation, which keeps the focus

let session = null;
let recorded = false; // whether there is a recorded game in place of a server
let oddsOpen = false;
let oddsOf = null; // view of the shown odds
let asked = null; // session with a requested review

/** Run a request and show its error, if any, in the place of the last one. */
async function attempt(action) {
  complain("");
  try {
    return await action();
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    complain(failure.message);
    return null;
  }
}

function toStart() {
  session?.leave();
  session = null;
  rememberHere(null);
  document.title = "Diamant";
  screen("start");
  refreshStart();
}

/** Return to the start screen, by the browser's history where it holds one; to the site from a recorded game. */
function goHome() {
  if (recorded) location = "../index.html";
  else if (history.state === null) toStart();
  else history.back();
}

/** Follow the browser's Back and Forward. */
function onHistory({ state }) {
  complain("");
  if (state?.key) resume(state.key);
  else toStart();
}

function screen(name) {
  for (const each of ["start", "table"]) show(byId(each), each === name);
  show(byId("expeditions"), name === "table");
  show(byId("elsewhere"), false);
  if (!FRAMED) byId(name).focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Show a game or a record. */
function openSession(views, key) {
  session?.leave();
  complain("");
  session = new Session(views, key, draw);
  rememberHere(key);
  if (history.state === null) history.pushState({ key }, "");
  else history.replaceState({ key }, "");
  for (const panel of ["result-panel", "review-panel", "hint-panel", "odds-panel"]) show(byId(panel), false);
  oddsOf = null;
  screen("table");
  session.refresh(true);
}

async function begin(message) {
  const view = await attempt(() => ask("/new", message));
  if (view === null) return;
  const key = newKey();
  storeGame(key, view);
  openSession([view], key);
}

/** Resume a stored game, if there is one, or show it read-only if another tab owns it. */
async function resume(key, owned = true) {
  if (storedGame(key) === null) return toStart();
  const game = owned ? takeOver(key) : storedGame(key).game;
  const view = await attempt(() => ask("/view", { game, turns: null }));
  if (view === null) return toStart();
  const views = [];
  views[view.turns] = view;
  openSession(views, key);
}

function saveRecord() {
  const { game, file } = session.latest;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([game], { type: "application/json" }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Draw the table, the buttons of the current stage, and the panels beside it. */
function draw(now, fresh) {
  const { stage, shown, latest } = now;
  drawTable(shown, { interlude: now.interlude, fresh });
  const over = now.atEnd && shown.over;
  const visible = { [stage]: true, after: latest.over && now.key !== null && stage === "steps" };
  for (const group of GROUPS) show(byId(group), visible[group] ?? false);
  show(byId("close"), !visible.after && !recorded);
  show(byId("elsewhere"), stage === "elsewhere");
  byId("run").textContent = now.running ? "Pause" : now.atEnd && now.complete ? "Replay" : "Play";
  byId("where").textContent = `${now.position + 1} of ${now.last + 1}`;
  byId("actions").setAttribute("aria-busy", now.working);
  byId("actions").classList.toggle("done", visible.after);
  enable("step", !now.atEnd || !now.complete);
  enable("last", !now.atEnd);
  for (const id of ["back", "first"]) enable(id, now.position > 0);
  if (fresh) dropHint();
  drawDeck(now);
  drawStory(now);
  if (over) drawResult(shown);
  if (latest.over) review(now);
  markTurn(now.position);
  refreshOdds();
  keepFocus(stage);
}

function enable(id, can) {
  byId(id).setAttribute("aria-disabled", !can);
}

/** Move the focus from a hidden button to the first visible one. */
function keepFocus(stage) {
  const { activeElement } = document;
  const lost = activeElement === document.body || activeElement === byId("table") || activeElement.offsetParent === null;
  if (lost && !FRAMED && !byId("help").open) byId(FIRST_BUTTON[stage]).focus({ preventScroll: true });
}

async function review(now) {
  if (asked === now || now.latest.mode !== "play") return;
  asked = now;
  awaitReview();
  const { latest } = now;
  const found = await attempt(() => ask("/review", { game: latest.game }));
  if (now.left) return;
  if (found === null) return show(byId("review-panel"), false);
  drawReview(found, latest, (turn) => {
    now.running = false;
    now.go(turn);
    byId("title").scrollIntoView({ block: "nearest" });
  });
  markTurn(now.position);
}

async function refreshOdds() {
  byId("odds").setAttribute("aria-expanded", oddsOpen);
  const here = session;
  if (!oddsOpen || here.stage !== "decide") return show(byId("odds-panel"), false);
  if (oddsOf === here.shown || here.working) return;
  oddsOf = here.shown;
  const odds = await attempt(() => ask("/odds", { game: here.shown.game }));
  if (odds !== null && session === here && oddsOf === here.shown && oddsOpen) drawOdds(odds);
}

async function toggleOdds() {
  oddsOpen = !oddsOpen;
  oddsOf = null;
  await refreshOdds();
  if (oddsOpen) reveal("odds-panel");
}

async function giveHint() {
  const here = session;
  awaitHint();
  reveal("hint-panel");
  const hint = await here.question("/hint", { game: here.latest.game });
  if (hint === null) return dropHint();
  drawHint(hint);
  reveal("hint-panel");
}

function reveal(id) {
  byId(id).scrollIntoView({ block: "nearest" });
}

function openHelp() {
  const { title, rules } = session?.latest.edition ?? chosenEdition();
  byId("edition-title").textContent = title;
  byId("edition-rules").replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  byId("help").showModal();
  byId("help-title").focus();
}

function jump(position) {
  session.running = false;
  return session.go(position);
}

const ACTIONS = {
  continue: () => session.turn(0),
  leave: () => session.turn(1),
  hint: giveHint,
  odds: toggleOdds,
  "go-on": () => session.next(),
  "next-turn": () => session.next(),
  skip: () => session.skip(),
  step: () => session.next(),
  back: () => jump(session.position - 1),
  first: () => jump(0),
  last: () => jump(session.last),
  run: () => session.toggle(),
  again: () => begin({ ...session.latest.table, seed: null }),
  save: saveRecord,
  "new-table": goHome,
  close: goHome,
  home: goHome,
  "take-over": () => resume(session.key),
  "help-button": openHelp,
  "help-close": () => byId("help").close(),
  "error-close": () => complain(""),
};

/** Whether a button is visible, not covered and enabled. */
function canPress(id) {
  const target = byId(id);
  return target.offsetParent !== null && target.getAttribute("aria-disabled") !== "true";
}

function press(id) {
  const waits = session?.working && byId("actions").contains(byId(id));
  if (canPress(id) && !waits) attempt(ACTIONS[id]);
}

function onKey(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || byId("help").open) return;
  if (target.matches("select, input, textarea")) return;
  const id = key.toLowerCase() === "n" ? NEXT.find(canPress) : KEYS[key] ?? KEYS[key.toLowerCase()];
  if (id === undefined || (target.closest(".scroll") && key.startsWith("Arrow"))) return;
  event.preventDefault();
  press(id);
}

async function open() {
  for (const id of Object.keys(ACTIONS)) byId(id).addEventListener("click", () => press(id));
  byId("speed").addEventListener("change", () => {
    session.speed = Number(byId("speed").value);
    session.refresh();
  });
  const oneColumn = matchMedia("(max-width: 900px)");
  const fold = () => document.querySelectorAll(".folds").forEach((each) => { each.open = !oneColumn.matches; });
  oneColumn.addEventListener("change", fold);
  fold();
  addEventListener("keydown", onKey);
  addEventListener("popstate", onHistory);
  onElsewhere((key) => {
    if (session?.key === key) session.refresh();
  });
  const menu = await ask("menu");
  useColours(menu);
  document.body.classList.toggle("framed", FRAMED);
  if (menu.views) {
    recorded = true;
    history.replaceState({}, ""); // else `openSession` adds an entry
    return openSession(menu.views, null);
  }
  prepareStart(menu, begin, resume);
  prepareRecords(attempt, (views) => openSession(views, null));
  const here = lastHere();
  if (here) await resume(here.key, here.owned);
  else toStart();
  if (!isPersistent) complain("This browser blocks storage for this page: a reload loses the game. Save its record instead.");
}

open();
