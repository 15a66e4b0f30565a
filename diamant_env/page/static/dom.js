// DOM helpers and shared drawings.

const SVG = "http://www.w3.org/2000/svg";

/** Return the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Return a new element. Attributes whose value is null or false are left out; children are nodes or texts. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return a new element of an SVG picture. */
export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Return one of the server's drawings. */
export function icon(name, kind = "") {
  const use = makeSvg("use", { href: `drawings.svg#${name}` });
  return makeSvg("svg", { class: `icon ${kind}`.trim(), "aria-hidden": "true" }, use);
}

/** Return a button. */
export function button(words, act, attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, ...[words].flat());
  made.addEventListener("click", act);
  return made;
}

/** Return a share as a percentage. */
export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;

/** Return a labelled bar for a share, with a whisker from `low` to `high` where they are given. All have one scale. */
export function bar(label, share, { words = percent(share), low = null, high = null, kind = "" } = {}) {
  const track = make("span", { class: "track" }, make("span", { class: "filled" }));
  const place = (name, value) => track.style.setProperty(name, `${Math.min(100, Math.max(0, 100 * value))}%`);
  place("--share", share);
  if (low !== null) {
    track.append(make("span", { class: "whisker" }));
    place("--low", low);
    place("--high", high);
  }
  track.setAttribute("aria-hidden", "true");
  return make("p", { class: `bar ${kind}` }, make("span", {}, label), make("b", {}, words), track);
}

/** Give an element the colours of a seat. */
export function tint(element, colour) {
  element.style.setProperty("--seat", colour);
  return element;
}

/** Show or hide an element. */
export function show(element, shown) {
  element.hidden = !shown;
}
