// curve.js: how a run went: its losses over the steps and, below them, its learning rate. A slider
// goes along the steps and shows the numbers of each.

const STEP = 0, LOSS = 1, EVALUATED = 2, RATE = 3; // the members of a row of a log
const THUMB = 16; // the width of a slider's thumb

// 1, 2 and 5 times powers of ten; only these powers if there would be many.
function logTicks(least, most) {
  const within = n => n >= least && n <= most, found = [];
  for (let ten = 10 ** Math.floor(Math.log10(least)); ten <= most; ten *= 10)
    found.push(ten, 2 * ten, 5 * ten);
  const all = found.filter(within);
  return {found: all.length > 7 ? all.filter((n, i) => found.indexOf(n) % 3 === 0) : all};
}

// Round numbers from 0 or `least` up to `most`, about `count` of them.
function ticks(least, most, count) {
  const rough = (most - least) / count, ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * ten).find(n => n >= rough), found = [];
  for (let n = Math.ceil(least / step) * step; n <= most + step * 1e-6; n += step) found.push(n);
  return {found, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
}

function text(pen, words, x, y, align, colour) {
  pen.textAlign = align;
  pen.fillStyle = colour;
  pen.fillText(words, x, y);
}

// The numbers of a step of a run, in words.
function momentOf({log, floor, counting, held_out}, index) {
  const row = log[index], parts = [say("at_step", {n: grouped(row[STEP])})];
  const add = (name, loss) => {
    if (loss !== null) parts.push(`${say(name)} ${decimal(loss, 4)}`);
  };
  add("each_step", row[LOSS]);
  add(held_out ? "held_out" : "all_text", row[EVALUATED]);
  add("floor", floor);
  add("counting", counting);
  if (row[RATE]) parts.push(`${say("rate")} ${row[RATE].toExponential(2)}`);
  return parts;
}

// runs[0] is drawn with all that is known of it: {log, held_out} and, null if there is none, floor,
// counting, uniform and frequencies, which are losses; of the others there is one line each.
class Curve {
  constructor(canvas, slider, values, parts = momentOf, moved = () => {}) {
    Object.assign(this, {canvas, slider, values, parts, moved, runs: []});
    slider.addEventListener("input", () => this.choose(slider.value));
    canvas.addEventListener("pointermove", event => this.moveTo(event.clientX));
  }
  get log() { return this.runs[0].log; }

  // Moves the slider to the last step, to the one at a place of the screen, and to any.
  toEnd() {
    this.slider.max = this.log.length - 1;
    this.slider.value = this.slider.max;
  }
  moveTo(clientX) {
    if (!this.runs.length) return;
    const box = this.canvas.getBoundingClientRect();
    const {left, right, last} = this.scale(box.width, box.height);
    const step = (clientX - box.left - left) / (right - left) * last;
    let best = 0;
    this.log.forEach((row, i) => {
      if (Math.abs(row[STEP] - step) < Math.abs(this.log[best][STEP] - step)) best = i;
    });
    this.choose(best);
  }
  choose(index) {
    this.slider.value = index;
    this.moved();
    this.show();
  }

  // The picture with a line at a step, and the numbers of that step.
  show() {
    const {canvas, slider} = this, card = canvas.parentElement;
    this.values.replaceChildren(...listed(this.parts(this.runs[0], slider.value)));
    slider.setAttribute("aria-valuetext", this.values.textContent);
    const width = card.clientWidth - 2 * parseFloat(getComputedStyle(card).paddingLeft);
    const most = state.projector ? 0.36 * innerHeight : 22 * rem();
    const height = Math.min(Math.max(width * 0.32, 14 * rem()), most);
    this.draw(penOn(canvas, width, height), width, height);
    const {left, x} = this.scale(width, height); // the slider's thumb is below the line
    slider.style.marginLeft = `${left - THUMB / 2}px`;
    slider.style.width = `${x(this.log[this.log.length - 1][STEP]) - left + THUMB}px`;
    canvas.setAttribute("aria-label", `${say("training")}. ${this.values.textContent}`);
  }

  // What is drawn: {name, colour, thick, dash, points} of each line, whose points are [step, loss].
  lines() {
    const [run, ...others] = this.runs, last = this.last(), lines = [];
    const along = (log, column, name, colour, thick, dash = []) => {
      const points = log.filter(row => row[column] !== null).map(row => [row[STEP], row[column]]);
      if (points.length) lines.push({name: say(name), colour: themed(colour), thick, dash, points});
    };
    const across = (loss, name, colour, dash) => {
      if (Number.isFinite(loss))
        along([[0, loss], [last, loss]], LOSS, name, colour, 1.5, dash);
    };
    if (state.details) {
      across(run.uniform, "uniform", "--quiet", [1, 4]);
      across(run.frequencies, "frequencies", "--quiet", [6, 3]);
    }
    across(run.counting, "counting", "--ink", [6, 3]);
    for (const {log, whole} of others)
      along(log, state.details ? EVALUATED : LOSS, whole ? "whole" : "kept", "--quiet", 2.5, [8, 4]);
    along(run.log, LOSS, state.details ? "each_step" : "plain_loss", "--accent", 1.5);
    if (state.details || run.held_out)
      along(run.log, EVALUATED, run.held_out ? "held_out" : "all_text", "--query", 2.5);
    across(run.floor, "floor", "--ink", [4, 4]);
    return lines;
  }
  // The last step of the longest run, also while it has not come so far.
  last() {
    return Math.max(1, ...this.runs.map(({log, steps}) => steps || log[log.length - 1][STEP]));
  }

  // The room of the curves within a picture, and where in it a step and a loss are.
  scale(width, height) {
    const unit = rem(), pen = this.canvas.getContext("2d"), lines = this.lines();
    pen.font = font(0.8);
    const longest = Math.max(...lines.map(({name}) => pen.measureText(name).width));
    const left = 3.4 * unit, right = width - longest - 0.6 * unit;
    const top = 0.8 * unit, bottom = height - (state.details ? 4.9 : 1.7) * unit;
    const losses = this.runs.flatMap(({log}) => log.flatMap(row => [row[LOSS], row[EVALUATED]]))
      .filter(value => value !== null);
    const {floor, counting} = this.runs[0], across = [floor, counting].filter(Number.isFinite);
    const low = Math.max(Math.min(...losses), 1e-7);
    const most = Math.max(...losses, counting ?? 0) * 1.03;
    const near = across.filter(loss => loss >= (state.details ? low : most / 10) / 10);
    // As in programs/train/curve.c; without the details, the floor is there from the beginning.
    const log10 = most >= 10 * Math.min(low, ...state.details ? [] : near);
    const least = 0.92 * Math.min(low, ...log10 ? near : across);
    const risen = loss => log10 ? Math.log(Math.max(loss, least)) : loss;
    const last = this.last();
    return {
      lines, left, right, top, bottom, least, most, last, log10,
      x: step => left + (right - left) * step / last,
      y: loss => bottom - (bottom - top) * (risen(loss) - risen(least)) /
        (risen(most) - risen(least) || 1),
    };
  }

  draw(pen, width, height) {
    const scale = this.scale(width, height), {x, top, bottom} = scale;
    pen.font = font(0.8);
    pen.textBaseline = "middle";
    this.drawTicks(pen, scale, height - 0.9 * rem());
    if (state.details) this.drawRate(pen, scale);
    this.drawLines(pen, scale);
    this.drawNames(pen, scale);
    const now = x(this.log[this.slider.value][STEP]);
    line(pen, [[now, top], [now, bottom]], themed("--ink"), 1);
  }

  drawTicks(pen, {left, right, bottom, least, most, last, log10, x, y}, below) {
    const unit = rem(), steps = ticks(0, last, 4);
    const losses = log10 ? logTicks(least, most) : ticks(least, most, 4);
    for (const loss of losses.found) {
      const name = log10 ? String(Number(loss.toPrecision(1))) : decimal(loss, losses.places);
      line(pen, [[left, y(loss)], [right, y(loss)]], themed("--line"), 1);
      text(pen, name, left - 0.5 * unit, y(loss), "right", themed("--quiet"));
    }
    for (const step of steps.found)
      text(pen, grouped(step), x(step), below, "center", themed("--quiet"));
  }

  // The learning rate, below the losses, from 0 to its largest value, which is named on the left.
  drawRate(pen, {left, right, bottom, x}) {
    const most = Math.max(...this.log.map(row => row[RATE] || 0));
    if (!most) return;
    const unit = rem(), ground = bottom + 3.2 * unit, y = rate => ground - 1.8 * unit * rate / most;
    line(pen, [[left, ground], [right, ground]], themed("--line"), 1);
    line(pen, this.log.map(row => [x(row[STEP]), y(row[RATE] || 0)]), themed("--quiet"), 1.5);
    text(pen, String(Number(most.toPrecision(2))), left - 0.3 * unit, y(most), "right",
      themed("--quiet"));
    text(pen, say("rate"), right + 0.5 * unit, y(most / 2), "left", themed("--quiet"));
  }

  drawLines(pen, {lines, x, y}) {
    for (const {colour, thick, dash, points} of lines) {
      pen.setLineDash(dash);
      line(pen, points.map(([step, loss]) => [x(step), y(loss)]), colour, thick);
    }
    pen.setLineDash([]);
  }

  // Names at the ends of the lines; those that would overlap go up, or down if there is no room.
  drawNames(pen, {lines, right, top, bottom, y}) {
    const unit = rem(), apart = 1.05 * unit, names = lines.map(({name, colour, points}) =>
      ({name, colour, at: y(points[points.length - 1][1])})).sort((a, b) => b.at - a.at);
    let free = bottom + 0.4 * unit;
    for (const one of names) free = (one.at = Math.min(one.at, free)) - apart;
    free = top;
    for (const one of names.reverse()) free = (one.at = Math.max(one.at, free)) + apart;
    for (const {name, colour, at} of names) text(pen, name, right + 0.5 * unit, at, "left", colour);
  }
}
