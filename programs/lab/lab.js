// lab.js: the lab. The text and the choices become a command of train, which a worker runs; the
// page of attend, in a frame, follows the model.

state.details = false;
const plain = id => at(id).textContent;

/* ---- What is shown ---- */

// ready: a run is open, and has not been trained here; then a change of the text or of a choice
// opens another.
let phase = "ready"; // or "going", "paused", "over", "failed"
let run = null, kept = null; // what the worker trains; a run that stays beside it
let worker = null; // if there is one, a run is open or was
let saved = null; // {files, text} of a run that was opened: its files, and what its page reads
const curve = new Curve(at("curve"), at("moment"), at("now"), progressOf, showMoment);

const isFresh = () => phase === "failed" || phase === "ready" && !saved;
const isLonger = () => phase === "over" || phase === "ready" && saved; // what pressing on makes it

function enter(next) {
  phase = next;
  at("train").textContent = say(isFresh() ? "train" : "again");
  at("pause").textContent = say(isLonger() ? "further" : phase === "paused" ? "go" : "pause");
  at("pause").disabled = isFresh() || phase === "ready" && !(run && run.log.length);
  const first = phase === "ready" && saved ? "pause" : "train"; // to be pressed
  for (const id of ["train", "pause"]) at(id).classList.toggle("main", id === first);
  at("step").disabled = !worker || phase !== "paused" && phase !== "ready" || run.hasEnded();
  at("save").disabled = !worker || phase === "failed";
  at("keep").disabled = !kept && phase !== "paused" && phase !== "over";
  at("keep").textContent = say(kept ? "let_go" : "keep");
  document.body.classList.toggle("beside", !!kept && !kept.whole);
  sayWithout();
}

// A run without some lines is compared with that of all lines, which stays unseen; when it has
// ended, its page says what they have changed.
const missing = () => new Intl.ListFormat(state.language).format(
  run.lines.map(line => say("line", {n: line + 1})));
function sayWithout() {
  run?.tell({without: !kept?.whole ? null : phase === "over" && isAtEnd() ? missing() : ""});
}

function printLine(line) {
  const lines = at("lines"), below = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 30;
  lines.append(line + "\n");
  if (below) lines.scrollTop = lines.scrollHeight;
}

// Whether the last step is what is shown: not if the slider was moved to an earlier one.
const isAtEnd = () => phase === "going" || at("moment").value === at("moment").max;

function showRuns() {
  if (!run || !run.log.length) return;
  curve.runs = [run, kept].filter(one => one && one.log.length);
  if (isAtEnd()) {
    curve.toEnd();
    shown = run.step();
  }
  curve.show();
  if (busy) at("answer").textContent = plain("now"); // the curve may be off the screen
  if (kept && !kept.whole) {
    kept.name("kept_run");
    run.name("this_run");
  } else {
    run.caption.textContent = kept ? say("without", {lines: missing()})
      : struck.size && isOf(run, ALL) ? say("with_all") : "";
  }
}
const showSoon = soon(showRuns);

// The slider brings back a moment: curve, heads and words are those of the same step. Who moves it
// while the model trains stops it; who only points at the curve does not.
let shown = 0; // the step that is shown
function showMoment() {
  if (phase === "going" && document.activeElement === at("moment")) pause();
  if (phase !== "going") at("moment").value = run.recall(at("moment").value, shown);
  shown = run.log[at("moment").value][STEP];
  sayWithout();
}

function showPage(page, config) {
  Object.assign(run, {config, held_out: config.val > 0});
  showChosen(run);
  run.open(page);
  at("models").append(run.figure);
  for (const figure of [...at("models").children])
    if (figure !== run.figure && figure !== kept?.figure) figure.remove();
  if (reads !== null) run.tell({text: reads});
  if (kept) run.tell({listed: kept.listed});
  if (kept) kept.figure.hidden = !!kept.whole;
}

// What a page reads is read by both, and both list the next words as the kept run's does. Each page
// calls this.
function heard(page, {listed, text}) {
  const from = [run, kept].find(one => one?.page === page), other = from === run ? kept : run;
  if (!from) return; // an earlier run
  if (listed) from.listed = listed;
  if (listed && from === kept && kept !== run) run.tell({listed});
  if (text === undefined) return;
  reads = text;
  if (other && other !== from) other.tell({text});
}

function letGo() {
  if (kept !== run) kept.figure.remove();
  kept = null;
  run.tell({listed: null});
  enter(phase);
  showRuns();
}

/* ---- Training ---- */

function hear({data: news}) {
  if (news.line !== undefined) printLine(news.line);
  if (news.line !== undefined && news.error) at("problem").textContent = inFields(news.line);
  if (news.page) showPage(news.page, news.config);
  if (news.files) saveRun(news.files);
  if (news.rows) {
    run.add(news.rows);
    run.keep(news.weights);
    if (isAtEnd()) run.show(news.weights);
    showSoon();
    if (phase === "ready") enter(phase); // now it is known whether it has ended
  }
  if (news.over === undefined) return;
  enter(news.over ? "failed" : "over");
  if (news.over && !plain("problem")) at("problem").textContent = reasonOf(news.over);
}
const reasonOf = over => typeof over === "string" ? over : say("failed");

// A line that says what is wrong, with the names of the fields for those of the options.
function inFields(line) {
  const words = line.replace(/^train: /, "").replace("data/", "").replace(/; \S+ --help.*/, "");
  const [option, name] = /--([\w-]+)/.exec(words) || [];
  if (name in CHOICES) return words.replace(option, say("choice_" + name));
  return option ? `${say("choice_more")}: ${words}` : words;
}

// Opens the run that was saved, or a new one on the text, which takes the place of the one that is
// open unless something is wrong with it. It waits for its first step.
const WORKER = URL.createObjectURL(new Blob([plain("worker")], {type: "text/javascript"}));
const RUN = ["lab", "--threads", "1"], RESUME = [...RUN, "--resume", "run"];
let opening = null; // the last one
function openRun(lines = struck) {
  clearTimeout(soonOpen);
  soonOpen = 0;
  if (kept?.whole && !lines.size) letGo();
  const mine = compiled().then(program => mine === opening ? openNow(program, lines) : opening);
  return opening = mine;
}

let giveUp = () => {}; // the run that is being opened: another one is
function openNow(program, lines) {
  giveUp();
  at("problem").textContent = "";
  const text = learnt(lines), [name, ...options] = commandOf(lines);
  const bytes = file && !lines.size ? file : new TextEncoder().encode(text);
  checkSize(name, bytes.length, MOST_TEXT);
  const next = new Run([name, ...saved ? [] : options]), trainer = new Worker(WORKER);
  next.text = saved ? null : text;
  next.lines = [...lines].sort((a, b) => a - b);
  trainer.postMessage({start: {
    program, language: state.language, text: saved?.text || firstWords(text),
    files: saved ? saved.files : {["data/" + name]: bytes},
    words: saved ? RESUME : [...RUN, "data/" + name, ...options, "--out", "run"],
  }});
  return new Promise((done, fail) => {
    giveUp = () => {
      trainer.terminate();
      done(opening);
    };
    const early = []; // what it says before its page is there, and that
    trainer.onmessage = event => { // what one that was ended had still sent can come late
      if (trainer === worker) return hear(event);
      early.push(event);
      if (event.data.over !== undefined) {
        const wrong = early.findLast(({data}) => data.error);
        fail(new Error(wrong ? inFields(wrong.data.line) : reasonOf(event.data.over)));
        giveUp();
      }
      if (!event.data.page) return undefined;
      giveUp = () => {};
      worker?.terminate();
      [run, worker] = [next, trainer];
      at("lines").textContent = "";
      at("moment").max = 0; // its last step is shown
      enter("ready");
      early.forEach(hear);
      return done();
    };
  });
}

// Whether a run has the text, but for some lines, and the choices that stand there.
const isOf = (one, lines) => one?.text === learnt(lines) &&
  one.words.join(" ") === commandOf(lines).join(" ");
const isOpen = () => isOf(run, struck);

// What to say if the text or a choice, but for the steps, is no longer that of a run that stays.
const unlike = words => words.join(" ").replace(/ --(steps|patience) \S+/g, "");
function changed() {
  const isSame = saved ||
    run.text === learnt(struck) && unlike(run.words) === unlike(commandOf(struck));
  return isSame ? "" : say("changed", {again: say("again")});
}

// After a change of the text or of a choice, when it is over.
let soonOpen = 0;
function openSoon() {
  clearTimeout(soonOpen);
  soonOpen = setTimeout(() => {
    soonOpen = 0;
    link();
    if (isFresh()) attempt(openRun);
    else at("problem").textContent = changed();
  }, 300);
}

// What goes wrong before a worker has the run is one line; if another run is open, it stays so.
async function attempt(what) {
  try {
    await what();
  } catch (error) {
    at("problem").textContent = error.message;
    if (!worker) enter("failed");
  }
  if (kept && kept === run) letGo(); // nothing was opened beside it
}

// The run of all lines, which that without some is compared with: as fast as it can, if it is not
// trained yet.
async function keepWhole() {
  if (kept?.whole && isOf(kept, ALL)) return;
  if (phase !== "over" || !isOf(run, ALL)) {
    saved = null;
    await openRun(ALL);
    play(0);
    await until(() => phase === "over");
  }
  kept = run;
  kept.whole = true;
}

// Trains a new run to its end.
async function train() {
  if (struck.size) await keepWhole();
  if (phase !== "ready" || !isOpen()) {
    saved = null;
    openRun();
  }
  await opening;
  link();
  play();
}

// On, as fast as one wants to see it: a whole run in about ten seconds, or one step after another;
// nothing waits at full speed.
function play(pace = {watch: 10000 / run.steps, slow: 700, full: 0}[at("speed").value]) {
  worker.postMessage({go: true, pace});
  enter("going");
}

function pause() {
  worker.postMessage({go: false});
  enter("paused");
}

// Trains on to the run's end. A run that has ended, or that is asked for more steps, is made
// longer: twice as long if nothing is asked. One that ended early ran out of patience.
async function goOn() {
  const step = run.step(), ended = isLonger() && run.hasEnded();
  if (changed()) throw new Error(changed());
  const asked = Number(chosenOf("steps"));
  if (!Number.isInteger(asked)) throw new Error(say("whole_steps"));
  const steps = asked > step ? asked : ended ? 2 * run.steps || 300 : run.steps;
  const early = phase === "over" && !ended;
  const more = ["--steps", String(steps), ...early ? ["--patience", "0"] : []];
  if (steps !== run.steps || early) {
    worker.postMessage({longer: [...RESUME, ...more]});
    run.words.push(...more);
  }
  play();
}

async function unpacked(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The program with the relaxed multiply-add if the browser has it, else the one without. Browsers
// got WebAssembly's SIMD with Chrome 91, Firefox 89 and Safari 16.4, 'wasm-unsafe-eval' with 97,
// 102 and 16, DecompressionStream with 80, 113 and 16.4, which reads a .zip's "deflate-raw" since
// Chrome 103.
const programs = {};
async function compiled() {
  try {
    for (const id of ["relaxed", "exact"]) {
      programs[id] = programs[id] || unpacked(plain(id)).then(bytes =>
        WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : null);
      const program = await programs[id];
      if (program) return program;
    }
  } catch (error) {
    console.info(error); // which of them
  }
  throw new Error(say("old"));
}

/* ---- A saved run ---- */

// The .zip, and the folder in it, have the name that was typed; or that of the text, and the
// beginning of the model's checksum, the last in the receipt. So no two in a class are the same.
function saveRun(files) {
  const receipt = new TextDecoder().decode(files["run/receipt.txt"]);
  const sum = receipt.match(/[0-9a-f]{16}/g).pop().slice(0, 8);
  const name = (at("named").value.trim() || run.words[0].replace(/\.[^.]*$/, "") + "-" + sum)
    .normalize().replace(/[^\p{L}\p{M}\p{N}_-]+/gu, "-");
  saveFile(zipOf(Object.fromEntries(Object.entries(files).map(([path, bytes]) =>
    [path.replace("run", name), bytes]))), name + ".zip");
}

// The files of a run, whatever its folder was called, by the names that train gives them.
async function runIn(zip) {
  try {
    const list = listOf(new Uint8Array(await zip.arrayBuffer()));
    const folder = list.map(({name}) => name).filter(name => /(^|\/)config\.json$/.test(name))
      .sort((a, b) => a.length - b.length)[0].slice(0, -"config.json".length);
    const ours = list.filter(({name}) => name.startsWith(folder) &&
      /^(checkpoint-\d+\/)?\w[\w.-]*$/.test(name.slice(folder.length)));
    const size = ours.reduce((sum, {size}) => sum + size, 0), files = {};
    for (const entry of size > MOST_RUN ? [] : ours)
      files["run/" + entry.name.slice(folder.length)] = await unzipped(entry);
    return {files, size};
  } catch (error) {
    console.info(error);
    throw new Error(say("no_run"));
  }
}

async function openFiles(name, files, text) {
  useBytes(name + ".txt", files["run/text.txt"] || new Uint8Array());
  for (const choice of Object.keys(CHOICES)) field(choice).value = "";
  link();
  saved = {files, text};
  await openRun();
}

async function openZip(zip) {
  checkSize(zip.name, zip.size, MOST_RUN);
  await compiled(); // a browser that is too old cannot read the .zip either
  const {files, size} = await runIn(zip);
  checkSize(zip.name, size, MOST_RUN);
  await openFiles(zip.name.replace(/\.zip$/, ""), files);
}

// A .zip, or all files of a run.
async function openChosen(files) {
  if (files.length === 1) return openZip(files[0]);
  checkSize("run", files.reduce((sum, {size}) => sum + size, 0), MOST_RUN);
  const all = {};
  for (const file of files) all["run/" + file.name] = new Uint8Array(await file.arrayBuffer());
  if (!all["run/config.json"]) throw new Error(say("no_run"));
  await openFiles("run", all);
}

// The run that `attend --train` has put into the page.
async function openOwnRun() {
  const {run, text} = JSON.parse(plain("run"));
  document.title = `${run} · Pulga`;
  const blocks = [...document.getElementsByClassName("run")];
  await openFiles(run.split("/").filter(Boolean).pop(), Object.fromEntries(blocks.map(block =>
    ["run/" + block.dataset.name, bytesOf(block.textContent)])), text);
}

/* ---- The buttons ---- */

at("train").addEventListener("click", () => attempt(train));
at("reseed").addEventListener("click", () => {
  field("seed").value = Number(chosenOf("seed") || field("seed").placeholder || 1) + 1;
  attempt(train);
});
at("pause").addEventListener("click", () => phase === "going" ? pause() : attempt(goOn));
at("speed").addEventListener("change", () => {
  if (phase === "going") play();
});
at("step").addEventListener("click", () => {
  curve.toEnd();
  worker.postMessage({step: 1});
  enter("paused");
});
at("keep").addEventListener("click", () => {
  if (kept) return letGo();
  kept = run;
  saved = null;
  return attempt(openRun);
});
at("save").addEventListener("click", () => {
  run.saved = run.step();
  worker.postMessage({save: true});
});
// Whoever reloads or closes the page is asked first, if that loses what was trained.
onbeforeunload = event => {
  if (!["going", "paused", "over"].includes(phase) || run.saved === run.step()) return;
  event.preventDefault();
  event.returnValue = true; // for older browsers
};
at("open").addEventListener("change", () => {
  const files = [...at("open").files];
  at("open").value = "";
  if (files.length) attempt(() => openChosen(files));
});
addEventListener("dragover", event => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", event => {
  const files = [...event.dataTransfer.files];
  if (!files.length) return;
  event.preventDefault();
  const isText = files.length === 1 && !/\.zip$/i.test(files[0].name);
  attempt(() => isText ? chooseFile(files[0]) : openChosen(files));
});
addEventListener("hashchange", () => {
  followLink();
  repaint();
  openSoon();
});

views.push({ // see state.js
  paint() {
    at("details").setAttribute("aria-pressed", state.details);
    fillLines();
    if (run) showChosen(run);
    document.documentElement.classList.toggle("plain", !state.details);
    if (opening) link();
    enter(phase);
    showRuns();
    for (const one of [run, kept]) if (one) one.tell(shared());
  },
});
chooseText(TEXTS[0]);
followLink();
repaint();
attempt(at("run") ? openOwnRun : openRun);
