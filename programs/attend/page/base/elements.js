// elements.js: makes elements, writes numbers, and moves the focus among buttons.

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

// A button that does something when it is pressed.
const makeButton = (parts, onclick, rest = {}) =>
  make("button", parts, {type: "button", onclick, ...rest});

// A share of attention is a percentage, as ./attend prints it; the probability of a word is not, as
// ./sample prints it.
const percent = share => `${Math.round(100 * share)}%`;

// A decimal point in both languages, as in the programs.
const decimal = (number, places) => number.toFixed(places);

// 101,056 in English, 101 056 in Spanish.
const grouped = number =>
  number.toLocaleString("en").replaceAll(",", state.language === "es" ? "\u202f" : ",");

// Any size of number, in about four digits: 0.0123, 2.129, 31698, 9.538·10^7.
function brief(number) {
  if (number >= 9999.5 && number < 999999.5) return decimal(number, 0);
  return number.toPrecision(4).replace(/e\+?/, "·10^");
}

// A score as the page shows it, so that what is computed of it can be checked; never −0.
const asShown = score => Number(decimal(score, 4)) || 0;

// How softmax makes a share of a score: score 1.2031 → e^1.2031 = 3.330 → 3.330 / 8.071 = 0.4126.
// `scores` are those of all; what has no share has −Infinity. Only the name is left if e^score is
// larger than any number. A line breaks only before an arrow.
function softmaxSteps(named, score, scores, share) {
  const sum = scores.reduce((sum, other) => sum + Math.exp(other), 0);
  if (!(sum > 0 && sum < Infinity)) return named;
  const power = brief(Math.exp(score));
  const steps = [named, `e^${decimal(score, 4)} = ${power}`, `${power} / ${brief(sum)} = ${share}`];
  return steps.map(step => step.replaceAll(" ", "\u00a0")).join(" →\u00a0");
}

const probability = p => decimal(p, 3);

// The parts of a line, which breaks only between them.
function listed(parts) {
  return parts.flatMap((part, i) => [i ? "  ·  " : "", make("span", part, {className: "part"})]);
}

// Lines that a model has written, as items of a list: {text, times, inText}, the last of which is
// null if that is not known.
function lineItems(lines) {
  return [...lines].sort((a, b) => b.times - a.times).map(({text, times, inText}) => make("li", [
    make("span", `${times} ×`),
    make("span", text),
    inText === null ? null : make("span", `[${say(inText ? "line_in_text" : "line_new")}]`,
      {className: inText ? "in-text" : "new"}),
  ]));
}

// Where an arrow key goes, [dx, dy]; undefined for other keys, and for those of the browser.
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const isOurs = event => !event.ctrlKey && !event.altKey && !event.metaKey;
const arrowOf = event => isOurs(event) ? ARROWS[event.key] : undefined;

// Arrow keys move the focus within a group of buttons, to the nearest one in their direction, and
// Home and End to the first and the last; moved(button) hears of it.
function rove(group, selector, moved = () => {}) {
  group.addEventListener("keydown", event => {
    const all = [...group.querySelectorAll(selector)], now = all.indexOf(document.activeElement);
    if (now < 0 || !isOurs(event) || event.shiftKey) return;
    const arrow = arrowOf(event), middles = all.map(button => {
      const box = button.getBoundingClientRect();
      return {x: box.x + box.width / 2, y: box.y + box.height / 2};
    });
    const next = event.key === "Home" ? all[0] : event.key === "End" ? all[all.length - 1]
      : arrow ? all[ahead(middles, now, arrow)] : null;
    if (!next) return;
    event.preventDefault();
    next.focus();
    moved(next);
  });
}

// The number of the nearest point in the direction of an arrow; of the one itself if none is there.
function ahead(points, from, [dx, dy]) {
  let best = from, least = Infinity;
  points.forEach(({x, y}, i) => {
    const right = x - points[from].x, down = y - points[from].y, along = right * dx + down * dy;
    const aside = Math.abs(right * dy) + Math.abs(down * dx), far = along + 8 * aside;
    if (along > 1 && (dx === 0 || aside < along) && far < least) [best, least] = [i, far];
  });
  return best;
}

// Makes one button of a group the one that Tab stops at.
function onlyStop(group, selector, chosen) {
  for (const element of group.querySelectorAll(selector))
    element.tabIndex = element === chosen ? 0 : -1;
}
