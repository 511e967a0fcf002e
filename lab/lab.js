// lab.js: the lab. A text and the choices that matter become a command of train, which a worker
// runs; the page of attend, in a frame, follows the model.

const at = id => document.getElementById(id);
const plain = id => at(id).textContent;

/* ---- Words ---- */

const WORDS = {
  en: {
    brand: "trains a small language model, here in this page",
    text: "The text that it learns", file: "or a file of your own:",
    model: "The model", chosen: "What you leave empty is chosen to suit the text.",
    training: "Training", train: "Train", again: "Start again", pause: "Pause", go: "Go on",
    step: "One step", save: "Save", open: "Open a saved run", no_run: "This is not a saved run.",
    lines: "What train prints", inside: "Inside the model", other: "Español",
    tokens: "reads by", layers: "layers", heads: "heads in each", width: "width", steps: "steps",
    factor: "rate (factor)", attend: "heads see", objective: "learns", seed: "seed",
    itself: "(suits the text)",
    now: ({step, steps, loss, evaluated, floor}) =>
      `step ${step} of ${steps}` + (loss === null ? "" : ` · loss ${loss.toFixed(4)}`) +
      (floor === null || evaluated === null ? ""
        : ` · ${Math.max(0, evaluated - floor).toFixed(4)} above the floor`),
    old: "This browser is too old: Chrome 91, Firefox 113 or Safari 16.4 can do it.",
    failed: "It ended; the last line says why.",
  },
  es: {
    brand: "entrena un pequeño modelo de lenguaje, aquí en esta página",
    text: "El texto que aprende", file: "o un archivo tuyo:",
    model: "El modelo", chosen: "Lo que dejes vacío se elige según el texto.",
    training: "Entrenamiento", train: "Entrenar", again: "Empezar de nuevo", pause: "Pausa",
    go: "Seguir", step: "Un paso", save: "Guardar", open: "Abrir un entrenamiento",
    no_run: "Este archivo no es un entrenamiento guardado.", lines: "Lo que imprime train", inside: "Dentro del modelo",
    other: "English", tokens: "lee por", layers: "capas", heads: "cabezas en cada una",
    width: "anchura", steps: "pasos", factor: "tasa (factor)", attend: "las cabezas ven",
    objective: "aprende", seed: "semilla", itself: "(según el texto)",
    now: ({step, steps, loss, evaluated, floor}) =>
      `paso ${step} de ${steps}` + (loss === null ? "" : ` · pérdida ${loss.toFixed(4)}`) +
      (floor === null || evaluated === null ? ""
        : ` · ${Math.max(0, evaluated - floor).toFixed(4)} sobre el piso`),
    old: "Este navegador es demasiado viejo: Chrome 91, Firefox 113 o Safari 16.4 pueden.",
    failed: "Terminó; la última línea dice por qué.",
  },
};
let language = /^es/.test(navigator.language) ? "es" : "en";
const say = name => WORDS[language][name];

function sayAll() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-say]")) one.textContent = say(one.dataset.say);
  for (const one of document.querySelectorAll("[data-label]"))
    one.setAttribute("aria-label", say(one.dataset.label));
  for (const one of document.querySelectorAll("[data-title]")) one.title = say(one.dataset.title);
  at("language").textContent = say("other");
  showButtons();
  showNow();
}

/* ---- The text and the choices ---- */

const TEXTS = [...document.getElementsByClassName("text")];
let name = "perro.txt", file = null; // of the text; the bytes of a file that the user chose

const textOf = block => block.textContent.replace(/^\n/, "");

function chooseText(block) {
  name = block.dataset.name;
  file = null;
  at("file").value = "";
  at("text").value = textOf(block);
  for (const button of at("texts").children)
    button.setAttribute("aria-pressed", button.textContent === name);
}

for (const block of TEXTS) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = block.dataset.name;
  button.addEventListener("click", () => chooseText(block));
  at("texts").append(button);
}
chooseText(TEXTS[0]);

at("file").addEventListener("change", async () => {
  const [chosen] = at("file").files;
  if (!chosen) return;
  name = chosen.name;
  file = new Uint8Array(await chosen.arrayBuffer());
  at("text").value = new TextDecoder().decode(file.subarray(0, 20000));
});
at("text").addEventListener("input", () => {
  file = null;
});

const CHOICES = {
  layers: "2", heads: "4", width: "64", steps: "300", factor: "0.3", seed: "1", attend: "all",
  tokens: ["word", "char", "bpe"], objective: ["next", "pairs", "masked"],
};
for (const [choice, values] of Object.entries(CHOICES)) {
  const label = document.createElement("label"), words = document.createElement("span");
  words.dataset.say = choice;
  let field = document.createElement("input");
  field.placeholder = values;
  if (Array.isArray(values)) {
    field = document.createElement("select");
    for (const value of ["", ...values]) {
      const option = document.createElement("option");
      option.value = value;
      if (value) option.textContent = value;
      else option.dataset.say = "itself";
      field.append(option);
    }
  }
  field.id = "choice-" + choice;
  label.append(words, field);
  at("settings").append(label);
}

// The words of the command: lab data/perro.txt --layers 2 …
function command(resumed) {
  const words = ["lab", "--threads", "1",
    ...resumed ? ["--resume", "run"] : ["data/" + name, "--out", "run"]];
  for (const choice of Object.keys(CHOICES)) {
    const value = at("choice-" + choice).value.trim();
    if (value) words.push("--" + choice, value);
  }
  return words;
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

function follow() {
  const about = new URLSearchParams(location.hash.slice(1));
  const block = TEXTS.find(block => block.dataset.name === about.get("name"));
  exactly = about.has("exact");
  if (block) chooseText(block);
  if (about.has("text")) {
    at("text").value = about.get("text");
    name = "text.txt";
  }
  for (const choice of Object.keys(CHOICES)) at("choice-" + choice).value = about.get(choice) || "";
}
let exactly = false; // without the relaxed multiply-add: to compare
addEventListener("hashchange", follow);

/* ---- Training ---- */

let worker = null, state = "ready"; // or "going", "paused", "over", "failed"
let now = null; // the row of the last step

function showButtons() {
  at("train").textContent = say(state === "ready" ? "train" : "again");
  at("pause").textContent = say(state === "paused" ? "go" : "pause");
  at("pause").disabled = state !== "going" && state !== "paused";
  at("step").disabled = state !== "paused";
  at("save").disabled = state === "ready" || state === "failed";
}
function showNow() {
  at("now").textContent = now ? say("now")(now) : "";
}
function enter(next) {
  state = next;
  showButtons();
}

function printLine(line) {
  const lines = at("lines"), below = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 30;
  lines.append(line + "\n");
  if (below) lines.scrollTop = lines.scrollHeight;
}

// A frame is as high as what is in it.
const heights = new ResizeObserver(([entry]) => {
  at("model").style.height = Math.ceil(entry.target.getBoundingClientRect().height) + "px";
});

// The steps that the page in the frame has not been told of, since it is not there yet: until then
// the frame has the page of the run before.
let untold = null;

function openPage(page) {
  const frame = at("model");
  frame.hidden = false;
  frame.srcdoc = page;
  untold = {rows: []};
  frame.addEventListener("load", () => {
    heights.disconnect();
    heights.observe(frame.contentDocument.body);
    const {rows, weights} = untold;
    untold = null;
    if (weights) tellPage({rows, weights});
  }, {once: true});
}

function tellPage({rows, weights}) {
  if (untold) untold = {rows: [...untold.rows, ...rows], weights};
  else at("model").contentWindow.postMessage({rows, weights}, "*");
}

function hear({data: news}) {
  if (news.line !== undefined) printLine(news.line);
  if (news.page) openPage(news.page);
  if (news.files) download(news.files);
  if (news.rows) {
    for (const row of news.rows) now = {...row, evaluated: row.evaluated ?? now?.evaluated ?? null};
    showNow();
    tellPage(news);
  }
  if (news.over === undefined) return;
  enter(news.over ? "failed" : "over");
  if (news.over) printLine(typeof news.over === "string" ? news.over : say("failed"));
}

// What the model reads first: the beginning of the text's first line, or the source of its first pair.
function firstWords() {
  const line = at("text").value.split("\n").find(line => line.trim()) || "";
  return line.split("\t")[0].trim().split(/ +/).slice(0, 6).join(" ").slice(0, 30).trim();
}

// Starts a run on the text, or goes on with one whose files are given.
async function start(resumed) {
  if (worker) worker.terminate();
  at("lines").textContent = "";
  now = null;
  showNow();
  const program = await compiled();
  if (!resumed) link();
  worker = new Worker(URL.createObjectURL(
    new Blob([plain("worker")], {type: "text/javascript"})));
  worker.onmessage = hear;
  const bytes = file || new TextEncoder().encode(at("text").value);
  worker.postMessage({start: {program, language, files: resumed || {["data/" + name]: bytes},
    words: command(resumed), text: firstWords()}});
  worker.postMessage({go: true});
  enter("going");
}

async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64.trim()), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The program with the relaxed multiply-add if the browser has it, else the one without.
async function compiled() {
  for (const id of exactly ? ["exact"] : ["relaxed", "exact"]) {
    const bytes = await unpacked(plain(id));
    if (WebAssembly.validate(bytes)) return WebAssembly.compile(bytes);
  }
  throw new Error(say("old"));
}

/* ---- In and out ---- */

function download(files) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(zipOf(files));
  link.download = name.replace(/\.[^.]*$/, "") + ".zip";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
  await start(run);
}

at("save").addEventListener("click", () => worker.postMessage({save: true}));
at("open").addEventListener("change", () => {
  const [zip] = at("open").files;
  at("open").value = "";
  if (zip) openRun(zip).catch(error => printLine(error.message));
});
at("train").addEventListener("click", () => start().catch(error => printLine(error.message)));
at("pause").addEventListener("click", () => {
  enter(state === "going" ? "paused" : "going");
  worker.postMessage({go: state === "going"});
});
at("step").addEventListener("click", () => worker.postMessage({step: 1}));
at("language").addEventListener("click", () => {
  language = language === "en" ? "es" : "en";
  sayAll();
});
follow();
sayAll();
