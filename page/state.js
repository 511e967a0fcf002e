// state.js: the data that attend wrote, what the user has chosen, and how the views hear of it.

const at = id => document.getElementById(id);
const data = JSON.parse(at("data").textContent);

const state = {
  language: data.language === "es" ? "es" : "en",
  dark: false,
  lifted: false,     // colour by the root of the weight
  head: 0,           // an index into data.heads
  other: -1,         // the head beside it; -1: none
  form: "matrix",    // or "arcs" or "across"
  order: "by_layer", // of the small heads
  word: 0,           // the word that is chosen: an index into reading.words
  key: -1,           // the word it is seen with, if a cell is pinned
  over: null,        // {query, key} under the pointer
  zoom: 1,
  temperature: 1,
  topK: 0,           // 0: all
  topP: 1,
};

// A view is an object with some of these methods. read: another text; choose: another head, word or
// form; model: another checkpoint; point: another cell under the pointer; paint: other colours,
// language or width.
const views = [];
function tell(...news) {
  for (const view of views)
    for (const what of news)
      if (view[what]) {
        view[what]();
        break; // each of them draws everything that the later ones would
      }
}

// The cell that is looked at: the one under the pointer, else the one pinned.
const looked = () => state.over || {query: state.word, key: state.key};

// Calls a function at most once for each picture that the screen shows.
function soon(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

// An element with a text or with parts, and with what else is given.
function make(name, parts, rest = {}) {
  const element = document.createElement(name);
  const {aria, ...properties} = rest;
  Object.assign(element, properties);
  for (const key in aria) element.setAttribute(key === "role" ? key : `aria-${key}`, aria[key]);
  element.append(...[parts].flat().filter(part => part !== null && part !== ""));
  return element;
}

// A share of attention is a percentage, as ./attend prints it; the probability of a word is not, as
// ./sample prints it.
const percent = share => `${Math.round(100 * share)}%`;

// A decimal point in both languages, as in the programs.
const decimal = (number, places) => number.toFixed(places);
const probability = p => decimal(p, 3);

// The parts of a line, which breaks only between them.
function listed(parts) {
  return parts.flatMap((part, i) => [i ? "  ·  " : "", make("span", part, {className: "part"})]);
}

// Arrow keys move the focus within a group of buttons, to the nearest one in their direction, and
// Home and End to the first and the last; moved(button) hears of it.
function rove(group, selector, moved = () => {}) {
  const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  group.addEventListener("keydown", event => {
    const all = [...group.querySelectorAll(selector)], now = all.indexOf(document.activeElement);
    if (now < 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const arrow = ARROWS[event.key];
    const next = event.key === "Home" ? all[0] : event.key === "End" ? all[all.length - 1]
      : arrow ? neighbour(all, all[now], arrow) : null;
    if (!next) return;
    event.preventDefault();
    next.focus();
    moved(next);
  });
}

// The nearest button in the direction of an arrow, as they stand on the screen; itself if none.
function neighbour(all, from, [dx, dy]) {
  const middle = element => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let best = from, least = Infinity;
  for (const element of all) {
    const [ex, ey] = middle(element), along = (ex - x) * dx + (ey - y) * dy;
    const aside = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
    const far = along + 8 * aside;
    if (along > 1 && (dx === 0 || aside < along) && far < least) [best, least] = [element, far];
  }
  return best;
}

// Makes one button of a group the one that Tab stops at.
function onlyStop(group, selector, chosen) {
  for (const element of group.querySelectorAll(selector))
    element.tabIndex = element === chosen ? 0 : -1;
}
