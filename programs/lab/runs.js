// runs.js: a run as it is shown: its losses, and in a frame the page of attend, which follows its
// model.

const MOST_ROWS = 2000; // of a log; of more, every second one without an evaluation goes
const MOST_KEPT = 96 * 2 ** 20; // bytes of weights; of more, every second moment goes

class Run {
  constructor(words) {
    Object.assign(this,
      {words, log: [], moments: [], held_out: false, floor: null, waiting: {}});
    this.frame = make("iframe", "", {title: say("inside")});
    this.frame.dataset.title = "inside";
    this.caption = make("figcaption", "");
    this.figure = make("figure", [this.caption, this.frame]);
    this.latest = null; // weights that are to be drawn
    this.draw = soon(async () => {
      if (!this.waiting) await this.page?.untilReleased();
      if (this.waiting || !this.latest || !this.page) return; // no page: another run is open
      this.page.takeWeights(this.latest);
      this.latest = null;
    });
  }

  get page() { return this.frame.contentWindow; }
  // Shows a page, which is then told what has waited for it.
  open(page) {
    this.frame.srcdoc = page;
    this.frame.addEventListener("load", () => {
      const {waiting} = this;
      this.waiting = null;
      this.tell({...waiting, ...shared()});
      this.draw();
      new ResizeObserver(([entry]) => { // a frame is as high as what is in it
        this.frame.style.height = `${Math.ceil(entry.target.getBoundingClientRect().height)}px`;
      }).observe(this.frame.contentDocument.body);
    }, {once: true});
  }
  // The caption, when two runs are beside each other.
  name(title) {
    this.caption.replaceChildren(say(title, {words: this.words.join(" ")}),
      make("div", listed(progressOf(this, this.log.length - 1)), {className: "values"}));
  }
  tell(news) {
    if (this.waiting) Object.assign(this.waiting, news);
    else this.page.hear(news);
  }
  // Shows other weights: only the latest, at most once for each picture of the screen, so that a slow
  // machine draws less often.
  show(weights) {
    this.latest = weights;
    this.draw();
  }

  // Keeps the weights after the last step, to be shown again.
  keep(weights) {
    if (this.moments[this.moments.length - 1]?.step === this.step()) this.moments.pop();
    this.moments.push({step: this.step(), weights});
    if (this.moments.length * weights.byteLength > MOST_KEPT)
      this.moments = this.moments.filter((_, i) => i % 2 === 0 || i + 1 === this.moments.length);
  }
  // Shows the moment nearest to a row of the log, on the side to which one moves from the step that
  // is shown; returns the row of it.
  recall(index, shown) {
    const step = this.log[index][STEP], {moments} = this;
    const moment = step < shown ? moments.findLast(one => one.step <= step) || moments[0]
      : moments.find(one => one.step >= step) || moments[moments.length - 1];
    this.show(moment.weights);
    return this.log.findIndex(row => row[STEP] >= moment.step);
  }

  step() { return this.log.length ? this.log[this.log.length - 1][STEP] : 0; }
  hasEnded() { return this.log.length > 0 && this.step() >= this.steps; }

  // Steps that were taken.
  add(rows) {
    for (const {step, loss, evaluated, rate, ...same} of rows) {
      Object.assign(this, same);
      const last = this.log[this.log.length - 1];
      if (!last || step > last[STEP]) this.log.push([step, loss, evaluated, rate]);
    }
    if (this.log.length > MOST_ROWS)
      this.log = this.log.filter((row, i) =>
        i % 2 === 0 || i + 1 === this.log.length || row[EVALUATED] !== null);
  }
}

// What the pages of runs have in common with the lab.
const shared = () => ({
  shared: {language: state.language, dark: state.dark, projector: state.projector,
    details: state.details},
  letters: `${rem()}px`,
});

// How far a run had come at a row of its log, in words.
function progressOf(run, index) {
  const {log, floor, steps, held_out} = run, row = log[index];
  const parts = [say("step_of", {n: grouped(row[STEP]), steps: grouped(steps)})];
  let evaluated = null; // the last time
  for (let i = 0; i <= index; i++) evaluated = log[i][EVALUATED] ?? evaluated;
  const latest = row[LOSS] ?? evaluated, loss = state.details || held_out ? evaluated : latest;
  const first = state.details ? row[LOSS] : latest; // of a long text nothing is known at step 0
  if (first !== null)
    parts.push(`${say(state.details ? "each_step" : "plain_loss")} ${decimal(first, 4)}`);
  if (evaluated !== null && (state.details || held_out))
    parts.push(`${say(held_out ? "held_out" : "all_text")} ${decimal(evaluated, 4)}`);
  if (loss !== null && floor !== null)
    parts.push(say("above", {n: decimal(Math.max(0, loss - floor), 4)}));
  return parts;
}
