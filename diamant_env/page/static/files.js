// Opened and dropped files: records and policies.

import { byId } from "./dom.js";
import { ask, Refused } from "./server.js";
import { addAgent, seatOf } from "./start.js";

/**
 * Accept files from the two buttons and, at the start screen, from a drop.
 * @param most Maximum size of a policy in bytes.
 * @param attempt Runs a request and shows its error.
 * @param openSession Shows the views of a record.
 */
export function prepareDrops(most, attempt, openSession) {
  const openRecord = (file) => attempt(async () => {
    refuseModel(file);
    openSession((await ask("/open", { text: await file.text() })).views);
  });
  const addPolicy = (file, seat = -1) => attempt(async () => {
    refuseModel(file);
    if (file.size > most) throw new Refused(`${file.name} has ${file.size} bytes; at most ${most} are allowed`);
    addAgent(await ask("/policy", { name: file.name, content: await inBase64(file) }), seat);
  });
  offer("open", "open-file", openRecord);
  offer("add-policy", "policy-file", addPolicy);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault(); // else the browser opens the file
    const [file] = event.dataTransfer.files;
    if (!file || byId("start").hidden) return;
    const seat = seatOf(event.target);
    if (seat >= 0 || file.name.endsWith(".safetensors")) addPolicy(file, seat);
    else openRecord(file);
  });
}

/** Throw `Refused` for a model of stable-baselines3: loading it may run code. */
function refuseModel({ name }) {
  if (!name.endsWith(".zip")) return;
  const policy = name.replace(/zip$/, "safetensors");
  throw new Refused(`A .zip may hold code, so the page opens none. Run "diamant export ${name} ${policy}" and add ${policy}, `
    + `or "diamant page --agents ${name}".`);
}

function offer(buttonId, inputId, take) {
  const input = byId(inputId);
  byId(buttonId).addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) take(file);
    input.value = "";
  });
}

function inBase64(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => fail(new Refused(`${file.name} can't be read`)));
    reader.readAsDataURL(file);
  });
}
