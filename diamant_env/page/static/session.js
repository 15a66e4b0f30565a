// Session of a game or record: the shown turn and its progress.

import { byId } from "./dom.js";
import { isElsewhere, storeGame } from "./games.js";
import { ask, Refused } from "./server.js";

const PACE = 1200; // milliseconds a turn, at speed 1

/** Show an error in one line; an empty text hides it. */
export function complain(words) {
  byId("error-text").textContent = words;
  byId("error").hidden = words === "";
}

export class Session {
  /**
   * @param views Views by number of turns played; a running game has only the last one, others are requested.
   * @param key Storage key of the game, or null for a record.
   * @param draw Called on every change with the session and whether to animate new cards.
   */
  constructor(views, key, draw) {
    Object.assign(this, { views, key, draw, position: views.length - 1 });
    this.speed = Number(byId("speed").value);
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

  /** Whether the latest turn is the last one of the game or record. */
  get complete() {
    return this.latest.over || this.latest.mode === "record";
  }

  get shown() {
    return this.views[this.position];
  }

  get atEnd() {
    return this.position === this.last && !this.interlude;
  }

  /** State of the controls: "elsewhere", "interlude", "decide", "camp" or "steps". */
  get stage() {
    if (this.elsewhere) return "elsewhere";
    if (this.latest.over || this.latest.mode !== "play") return "steps";
    if (this.interlude) return "interlude";
    return this.latest.must_decide ? "decide" : "camp";
  }

  /** Show the table and continue automatically if no decision is needed. */
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

  /** Advance to the next expedition, to the next known turn, or by playing a turn. */
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
    if (storeGame(this.key, view)) {
      this.views.push(view);
      await this.go(this.last, true);
    } else {
      this.refresh();
    }
  }

  /** Show the table after a number of turns. */
  async go(position, fresh = false) {
    this.views[position] ??= await this.question("/view", { game: this.latest.game, turns: position }) ?? undefined;
    if (this.views[position] === undefined || this.left) return;
    this.position = position;
    this.interlude = fresh && this.shown.ended !== null && !this.shown.over;
    this.refresh(fresh);
  }

  /** Send a request if none is pending; return null on an error or if the session has ended. */
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

  /** Run or pause the automatic play; at the end, restart it. */
  async toggle() {
    this.running = !this.running;
    if (this.running && this.atEnd && this.complete) await this.go(0);
    this.refresh();
  }

  /** End the session. */
  leave() {
    this.left = true;
    clearTimeout(this.timer);
  }
}
