// Games in the browser's storage. Each is owned by the last tab that opened it.

const PREFIX = "diamant:game:";
const MOST = 20; // stored games
const TAB = crypto.randomUUID(); // id of this page load
/** The browser's storage or, where it is blocked, an in-memory replacement. */
export const local = storage("localStorage");
const session = storage("sessionStorage");
const HERE = "diamant:here"; // its value: the current game's key and the id of the page load

/** Return the key for a new game. */
export const newKey = () => PREFIX + crypto.randomUUID();

/** Return the stored game of a key, or null: `{owner, game, title, against, winners, chest, saved}`. */
export function storedGame(key) {
  try {
    return JSON.parse(local.getItem(key));
  } catch {
    return null; // not written by this page
  }
}

/** Store a view's game, unless another tab owns it; return whether it is stored. */
export function storeGame(key, view) {
  if (isElsewhere(key)) return false;
  const named = (seats) => seats.map((seat) => seat.name).join(", ");
  const against = named(view.seats.filter((_, at) => at !== view.you));
  const winners = view.over ? named(view.seats.filter((seat) => seat.winner)) : "";
  write(key, { game: view.game, title: view.title, against, winners, chest: view.seats[view.you]?.chest });
  return true;
}

/** Make this tab the owner of a stored game and return the game. */
export function takeOver(key) {
  const stored = storedGame(key);
  write(key, stored);
  return stored.game;
}

/** Whether another tab owns this game. */
export function isElsewhere(key) {
  const stored = storedGame(key);
  return stored !== null && stored.owner !== TAB;
}

/** Return the stored games with their keys, the latest first. */
export function storedGames() {
  const keys = Object.keys(local).filter((key) => key.startsWith(PREFIX));
  const found = keys.map((key) => ({ key, ...storedGame(key) })).filter((each) => each.game);
  return found.sort((one, other) => other.saved - one.saved);
}

/** Store the current game of this tab (or none) for the next reload. */
export function rememberHere(key) {
  session.setItem(HERE, JSON.stringify({ key, tab: TAB }));
}

/** Return the key of this tab's game before the reload, and whether this tab owned it. */
export function lastHere() {
  const here = JSON.parse(session.getItem(HERE));
  const stored = here?.key ? storedGame(here.key) : null;
  return stored && { key: here.key, owned: stored.owner === here.tab };
}

/** Call back with the key of each game that another tab claims or changes. */
export function onElsewhere(callback) {
  addEventListener("storage", (event) => {
    if (event.key?.startsWith(PREFIX) && event.newValue !== null && isElsewhere(event.key)) callback(event.key);
  });
}

function write(key, content) {
  for (const old of storedGames().slice(MOST)) local.removeItem(old.key);
  local.setItem(key, JSON.stringify({ ...content, owner: TAB, saved: Date.now() }));
}

/** Return the browser's storage or, where it is blocked, an in-memory replacement. */
function storage(name) {
  try {
    return window[name];
  } catch {
    return Object.create({
      getItem(key) { return this[key] ?? null; },
      setItem(key, text) { this[key] = text; },
      removeItem(key) { delete this[key]; },
    });
  }
}

/** Whether games survive a reload. */
export const isPersistent = local instanceof Storage;
