// Requests to the server, retried until it answers.

import { byId, show } from "./dom.js";

const LONGEST_WAIT = 8000; // milliseconds between two tries

/** Error with the server's message. */
export class Refused extends Error {}

let tryNow = () => {};

/** Return the answer to a GET, or to a POST if there is a body. Throws `Refused` with one line to show. */
export async function ask(path, body) {
  for (let wait = 500; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const answer = await reach(path, body);
    if (answer !== null) {
      show(byId("gone"), false);
      if (answer.ok) return answer.content;
      throw new Refused(answer.content.error);
    }
    show(byId("gone"), true);
    await new Promise((resume) => {
      tryNow = resume;
      setTimeout(resume, wait);
    });
  }
}

/** Return the answer, or null if the server is unreachable or the answer incomplete. */
async function reach(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    const response = await fetch(path, body === undefined ? {} : post);
    return { ok: response.ok, content: await response.json() };
  } catch (failure) {
    if (failure instanceof TypeError || failure instanceof SyntaxError) return null;
    throw failure;
  }
}

byId("retry").addEventListener("click", () => tryNow());
