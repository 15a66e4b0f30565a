// A game or a record on the table: which turn is shown, what comes next, and when.

import { byId } from "./dom.js";
import { isElsewhere, keep } from "./games.js";
import { ask, Refused } from "./server.js";

const PACE = 1200; // milliseconds a turn, at speed 1

/** Say in one line what went wrong; an empty text takes the line away. */
export function complain(words) {
  byId("error-text").textContent = words;
  byId("error").hidden = words === "";
}

export class Sitting {
  /**
   * @param views By number of turns played; of a game under way only the last one is there, older ones are asked for.
   * @param key Where the game is kept, or null for a record.
   * @param draw Called whenever something else is to be shown, with whether new cards turn over.
   */
  constructor(views, key, draw) {
    Object.assign(this, { views, key, draw, position: views.length - 1, speed: 1 });
    this.interlude = false; // whether the end of an expedition is shown, before the next one
    this.running = this.latest.mode === "watch" && !this.latest.over;
    this.working = this.hurry = this.left = this.elsewhere = false;
    if (key === null) this.position = 0;
  }

  get last() {
    return this.views.length - 1;
  }

  get latest() {
    return this.views[this.last];
  }

  /** Whether no turn follows the latest one: the game is over, or its record ends there. */
  get complete() {
    return this.latest.over || this.latest.mode === "record";
  }

  get shown() {
    return this.views[this.position];
  }

  get atEnd() {
    return this.position === this.last && !this.interlude;
  }

  /** What the player can do: "elsewhere", "interlude", "decide", "camp" or "steps". */
  get stage() {
    if (this.elsewhere) return "elsewhere";
    if (this.latest.over || this.latest.mode !== "play") return "steps";
    if (this.interlude) return "interlude";
    return this.latest.must_decide ? "decide" : "camp";
  }

  /** Show the table, and go on by itself where nobody is asked. */
  refresh(fresh = false) {
    if (this.left) return;
    this.elsewhere ||= this.key !== null && isElsewhere(this.key);
    if (this.complete && this.atEnd) this.running = false;
    this.draw(this, fresh);
    clearTimeout(this.timer);
    const alone = this.stage === "camp" || (this.stage === "steps" && this.running);
    if (!alone) this.hurry = false;
    if (alone && !this.working) this.timer = setTimeout(() => this.next(), this.hurry ? 0 : PACE / this.speed);
  }

  /** Go on by one picture: to the next expedition, to the next turn that is known, or by playing a turn. */
  async next() {
    if (this.working || this.elsewhere) return;
    if (this.interlude) {
      this.interlude = false;
      this.refresh(true);
    } else if (this.position < this.last) {
      await this.go(this.position + 1, true);
    } else if (!this.complete && !this.latest.must_decide) {
      await this.turn(null);
    }
  }

  /** Play a turn, with this player's decision or null. */
  async turn(decision) {
    const view = await this.question("/turn", { game: this.latest.game, decision });
    if (view === null) return;
    if (keep(this.key, view)) {
      this.views.push(view);
      await this.go(this.last, true);
    } else {
      this.refresh();
    }
  }

  /** Show the table after so many turns. */
  async go(position, fresh = false) {
    this.views[position] ??= await this.question("/view", { game: this.gameAfter(position) }) ?? undefined;
    if (this.views[position] === undefined || this.left) return;
    this.position = position;
    this.interlude = fresh && this.shown.ended !== null && !this.shown.over;
    this.refresh(fresh);
  }

  gameAfter(turns) {
    const { game } = this.latest;
    return { ...game, decisions: game.decisions.slice(0, turns) };
  }

  /** Ask the server while nothing else is asked; return null where it refuses or the player has left the table. */
  async question(path, body) {
    if (this.working) return null;
    this.working = true;
    this.draw(this, false);
    try {
      const answer = await ask(path, body);
      complain("");
      return this.left ? null : answer;
    } catch (failure) {
      if (!(failure instanceof Refused)) throw failure;
      complain(failure.message);
      this.running = false;
      return null;
    } finally {
      this.working = false;
      if (!this.left) this.draw(this, false);
    }
  }

  /** Play on without pauses until this player decides. */
  skip() {
    this.hurry = true;
    this.refresh();
  }

  /** Run or pause what goes on by itself; from the end it starts anew. */
  async toggle() {
    this.running = !this.running;
    if (this.running && this.atEnd && this.complete) await this.go(0);
    this.refresh();
  }

  /** Leave the table. */
  leave() {
    this.left = true;
    clearTimeout(this.timer);
  }
}
