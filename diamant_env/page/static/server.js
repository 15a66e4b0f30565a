// Questions to the server. A question outlives the server: it is asked again until somebody answers.

import { byId, show } from "./dom.js";

const LONGEST_WAIT = 8000; // milliseconds between two tries
const BUSY = 429;

/** What the server refused, in its own words. */
export class Refused extends Error {}

let tryNow = () => {};

/** Return the answer to a GET, or to a POST if there is a body. Throws `Refused` with one line to show. */
export async function ask(path, body) {
  for (let wait = 500; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const answer = await reach(path, body);
    if (answer !== null) {
      show(byId("gone"), false);
      if (answer.status !== BUSY) return contentOf(answer);
    } else {
      show(byId("gone"), true);
    }
    await new Promise((goOn) => {
      tryNow = goOn;
      setTimeout(goOn, wait);
    });
  }
}

/** Return the response, or null where nobody answers. */
async function reach(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    return await fetch(path, body === undefined ? {} : post);
  } catch (failure) {
    if (failure instanceof TypeError) return null;
    throw failure;
  }
}

async function contentOf(answer) {
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(content.error ?? `The server refused this (${answer.status}).`);
  return content;
}

byId("retry").addEventListener("click", () => tryNow());
