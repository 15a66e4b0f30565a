// Records opened from a file, by the button or by a drop onto the start screen.

import { byId } from "./dom.js";
import { ask } from "./server.js";

/**
 * Accept records.
 * @param attempt Runs a request and shows its error.
 * @param openSession Shows the views of a record.
 */
export function prepareRecords(attempt, openSession) {
  const open = (file) => attempt(async () => openSession((await ask("/open", { text: await file.text() })).views));
  const input = byId("open-file");
  byId("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) open(file);
    input.value = "";
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault(); // else the browser opens the file
    const [file] = event.dataTransfer.files;
    if (file && !byId("start").hidden) open(file);
  });
}
