// lab.js: the lab. A text and the choices that matter become a command of train, which a worker
// runs; the page of attend, in a frame, follows the model.

const plain = id => at(id).textContent;
Object.assign(state, {language: /^es/.test(navigator.language) ? "es" : "en"});

/* ---- The text and the choices ---- */

const TEXTS = [...document.getElementsByClassName("text-file")];
let name = "perro.txt", file = null; // of the text; the bytes of a file that the user chose
let reads = null; // what the pages read, if the user changed it

const textOf = block => block.textContent.replace(/^\n/, "");

// Which of the texts is pressed; none if the text is the user's.
function press(block) {
  [...at("texts").children].forEach((button, i) =>
    button.setAttribute("aria-pressed", TEXTS[i] === block));
}

function chooseText(block) {
  name = block.dataset.name;
  file = reads = null;
  at("file").value = "";
  at("text").value = textOf(block);
  press(block);
}

// The text in the box is one that the user wrote.
function typed() {
  name = "text.txt";
  file = reads = null;
  at("file").value = "";
  press(null);
}

for (const block of TEXTS) {
  const button = make("button", "", {type: "button", title: block.dataset.name});
  button.dataset.say = block.dataset.name;
  button.addEventListener("click", () => {
    chooseText(block);
    openSoon();
  });
  at("texts").append(button);
}

at("file").addEventListener("change", async () => {
  const [chosen] = at("file").files;
  if (!chosen) return;
  name = chosen.name;
  reads = null;
  press(null);
  file = new Uint8Array(await chosen.arrayBuffer());
  at("text").value = new TextDecoder().decode(file.subarray(0, 20000));
  openSoon();
});
at("text").addEventListener("input", () => {
  typed();
  openSoon();
});

// The options that have a field, by the names that config.json has for them, or their values; more is
// any other options, as they are typed after ./train.
const CHOICES = {
  layers: "layers", heads: "heads", width: "width", steps: "steps", "lr-factor": "lr-factor",
  seed: "seed", attend: "attend", tokens: ["word", "char", "bpe"],
  objective: ["next", "pairs", "masked"], more: null,
};
const field = choice => at("choice-" + choice);

for (const [choice, values] of Object.entries(CHOICES)) {
  const words = make("span", ""), id = "choice-" + choice;
  words.dataset.say = "choice_" + choice;
  const input = Array.isArray(values)
    ? make("select", ["", ...values].map(value => make("option", value, {value})), {id, autocomplete: "off"})
    : make("input", "", {id, autocomplete: "off", autocapitalize: "off", spellcheck: false});
  input.addEventListener("input", openSoon);
  at("settings").append(make("label", [words, input]));
}

// Shows in the empty fields what was chosen to suit the text.
function showChosen(config) {
  for (const [choice, values] of Object.entries(CHOICES))
    if (Array.isArray(values)) field(choice).options[0].textContent = `(${config[choice]})`;
    else if (values) field(choice).placeholder = config[values] ?? "all";
}

// The words of the command that tell this run from others: perro.txt --layers 2 …
function chosen() {
  return Object.keys(CHOICES).flatMap(choice => {
    const value = field(choice).value.trim();
    if (choice === "more") return value.match(/\S+/g) || [];
    return value ? ["--" + choice, value] : [];
  });
}

/* ---- Links ---- */

// The address holds the choices and the text, so that a link opens the same experiment: the name of a
// text that is here, or all of it if it is short. Nothing is sent: what follows # stays in the browser.
const SHORT = 2000;

function link() {
  const about = new URLSearchParams();
  for (const choice of Object.keys(CHOICES))
    if (at("choice-" + choice).value.trim()) about.set(choice, at("choice-" + choice).value.trim());
  const text = at("text").value, block = TEXTS.find(block => text === textOf(block));
  if (block) about.set("name", block.dataset.name);
  else if (!file && text.length <= SHORT) about.set("text", text);
  if (exactly) about.set("exact", "1");
  history.replaceState(null, "", "#" + about);
}

function followLink() {
  const about = new URLSearchParams(location.hash.slice(1));
  const block = TEXTS.find(block => block.dataset.name === about.get("name"));
  exactly = about.has("exact");
  if (block) chooseText(block);
  if (about.has("text")) {
    at("text").value = about.get("text");
    typed();
  }
  for (const choice of Object.keys(CHOICES)) at("choice-" + choice).value = about.get(choice) || "";
}
let exactly = false; // without the relaxed multiply-add: to compare
addEventListener("hashchange", () => {
  followLink();
  openSoon();
});

/* ---- Training ---- */

// ready: a run is open, and has not begun; then a change of the text or of a choice opens another.
let worker = null, phase = "ready"; // or "going", "paused", "over", "failed"
let run = null, kept = null; // what the worker trains; a run that stays beside it
const curve = new Curve(at("curve"), at("moment"), at("now"), progressOf);

function enter(next) {
  phase = next;
  const begun = phase === "paused" || phase === "over", fresh = phase === "ready" || phase === "failed";
  at("train").textContent = say(fresh ? "train" : "again");
  at("pause").textContent = say(phase === "paused" ? "go" : "pause");
  at("pause").disabled = phase !== "going" && phase !== "paused";
  at("step").disabled = phase !== "paused" && phase !== "ready";
  at("save").disabled = phase === "failed";
  at("keep").disabled = !kept && !begun;
  at("keep").textContent = say(kept ? "let_go" : "keep");
}

function printLine(line) {
  const lines = at("lines"), below = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 30;
  lines.append(line + "\n");
  if (below) lines.scrollTop = lines.scrollHeight;
}

function showRuns() {
  if (!run || !run.log.length) return;
  curve.runs = [run, kept].filter(one => one && one.log.length);
  curve.toEnd();
  curve.show();
  if (kept) {
    kept.name("kept_run");
    run.name("this_run");
  } else {
    run.caption.textContent = "";
  }
}

const showSoon = soon(showRuns);

function hear({data: news}) {
  if (news.line !== undefined) printLine(news.line);
  if (news.line !== undefined && news.error) at("problem").textContent = news.line;
  if (news.page) {
    showChosen(news.config);
    run.held_out = news.config.val > 0;
    run.open(news.page);
    at("models").append(run.figure);
    for (const figure of [...at("models").children])
      if (figure !== run.figure && figure !== kept?.figure) figure.remove();
    if (reads !== null) run.tell({text: reads});
  }
  if (news.files) download(news.files);
  if (news.rows) {
    run.add(news.rows);
    run.show(news.weights);
    showSoon();
  }
  if (news.over === undefined) return;
  enter(news.over ? "failed" : "over");
  if (typeof news.over === "string") at("problem").textContent = news.over;
}

// What a page reads is read by both.
addEventListener("message", ({source, data: news}) => {
  if (news?.text === undefined || !source) return;
  reads = news.text;
  for (const one of [run, kept])
    if (one && one.frame.contentWindow !== source) one.tell({text: reads});
});

// What the model reads first: the first pair, or the beginning of the first line.
function firstWords() {
  const line = at("text").value.split("\n").find(line => line.trim()) || "";
  if (line.includes("\t") && line.length < 100) return line;
  return line.split("\t")[0].trim().split(/ +/).slice(0, 6).join(" ").slice(0, 30).trim();
}

// Opens a run on the text, or one whose files are given. It waits for its first step.
const script = URL.createObjectURL(new Blob([plain("worker")], {type: "text/javascript"}));
let opened = 0;
async function open(saved) {
  clearTimeout(soonOpen);
  const mine = ++opened, program = await compiled(), words = chosen();
  if (mine !== opened) return;
  if (worker) worker.terminate();
  at("lines").textContent = at("problem").textContent = "";
  run = new Run([name, ...words]);
  worker = new Worker(script);
  worker.onmessage = hear;
  const bytes = file || new TextEncoder().encode(at("text").value);
  worker.postMessage({start: {
    program, language: state.language, text: firstWords(),
    files: saved || {["data/" + name]: bytes},
    words: ["lab", "--threads", "1", ...saved ? ["--resume", "run"] : ["data/" + name, "--out", "run"],
      ...words],
  }});
  enter("ready");
}

let soonOpen = 0;
function openSoon() {
  clearTimeout(soonOpen);
  soonOpen = setTimeout(() => {
    link();
    if (phase === "ready" || phase === "failed") attempt(open);
  }, 300);
}

// What goes wrong before there is a worker is one line.
async function attempt(what) {
  try {
    await what();
  } catch (error) {
    at("problem").textContent = error.message;
    enter("failed");
  }
}

async function train() {
  if (phase !== "ready" || soonOpen) await open();
  soonOpen = 0;
  link();
  worker.postMessage({go: true});
  enter("going");
}

async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64.trim()), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The program with the relaxed multiply-add if the browser has it, else the one without.
const programs = {};
async function compiled() {
  for (const id of exactly ? ["exact"] : ["relaxed", "exact"]) {
    programs[id] = programs[id] || unpacked(plain(id)).then(bytes =>
      WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : null);
    const program = await programs[id];
    if (program) return program;
  }
  throw new Error(say("old"));
}

/* ---- In and out ---- */

function download(files) {
  saveFile(zipOf(files), name.replace(/\.[^.]*$/, "") + ".zip");
}

// The files of a run, whatever its folder was called; null if they are none.
async function runIn(zip) {
  const files = await unzip(new Uint8Array(await zip.arrayBuffer()));
  const found = Object.keys(files || {}).find(path => /(^|\/)config\.json$/.test(path));
  if (!found) return null;
  const folder = found.slice(0, -"config.json".length);
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(folder))
    .map(([path, bytes]) => ["run/" + path.slice(folder.length), bytes]));
}

async function openRun(zip) {
  const run = await runIn(zip);
  if (!run) throw new Error(say("no_run"));
  const text = run["run/text.txt"];
  name = zip.name.replace(/\.zip$/, ".txt");
  if (text) at("text").value = new TextDecoder().decode(text.subarray(0, 20000));
  file = text || null;
  press(null);
  await open(run);
}

/* ---- The buttons ---- */

at("train").addEventListener("click", () => attempt(train));
at("reseed").addEventListener("click", () => {
  field("seed").value = Number(field("seed").value || field("seed").placeholder || 1) + 1;
  enter("over");
  attempt(train);
});
at("pause").addEventListener("click", () => {
  enter(phase === "going" ? "paused" : "going");
  worker.postMessage({go: phase === "going"});
});
at("step").addEventListener("click", () => {
  worker.postMessage({step: 1});
  enter("paused");
});
at("keep").addEventListener("click", () => {
  if (kept) {
    kept.remove();
    kept = null;
    enter(phase);
    showRuns();
    return;
  }
  kept = run;
  attempt(open);
});
at("save").addEventListener("click", () => worker.postMessage({save: true}));
at("open").addEventListener("change", () => {
  const [zip] = at("open").files;
  at("open").value = "";
  if (zip) attempt(() => openRun(zip));
});

views.push({ // see state.js
  paint() {
    enter(phase);
    showRuns();
    for (const one of [run, kept]) if (one) one.tell(shared());
  },
});
chooseText(TEXTS[0]);
followLink();
repaint();
attempt(open);
