// choices.js: the text that is learnt, the fields of the model, and the link that holds them.

/* ---- The text ---- */

const TEXTS = [...document.getElementsByClassName("text-file")];
let textName = "", file = null; // of the text; its bytes, if the box has only their beginning
let reads = null; // what the pages read, if the user changed it
let struck = new Set(); // the lines of the text that are left out, from 0
const ALL = new Set(); // none of them is

const textOf = block => block.textContent.replace(/^\n/, "");

// Another text, and the button of it, if it has one. An opened run is no longer what is trained.
function useText(name, text, block = null) {
  textName = name;
  file = reads = saved = null;
  struck = new Set();
  at("file").value = at("refused").textContent = "";
  at("text").value = text;
  [...at("texts").children].forEach((button, i) =>
    button.setAttribute("aria-pressed", TEXTS[i] === block));
  fillLines();
}

const chooseText = block => useText(block.dataset.name, textOf(block), block);

// The bytes of a file as the text, of which the box has the beginning.
const SHOWN = 20000;
function useBytes(name, bytes) {
  useText(name, new TextDecoder().decode(bytes.subarray(0, SHOWN)));
  file = bytes;
  fillLines();
}

// A larger text goes into a file without a name, which a page cannot have: see LARGE_TEXT in
// text/source.h. One of 16 MB takes 1 to 2 GB of the tab's memory, according to its words; a run
// takes ten times its size, since page, worker, program and frame have copies: 256 MB take 2.5 GB.
const MB = 2 ** 20, MOST_TEXT = 16 * MB, MOST_RUN = 256 * MB;

function checkSize(name, size, most) {
  if (size > most)
    throw new Error(say("large", {name, size: Math.ceil(size / MB), most: most / MB}));
}

async function chooseFile(chosen) {
  checkSize(chosen.name, chosen.size, MOST_TEXT);
  useBytes(chosen.name, new Uint8Array(await chosen.arrayBuffer()));
  openSoon();
}

for (const block of TEXTS) {
  const {name} = block.dataset, button = makeButton("", () => {
    chooseText(block);
    openSoon();
  }, {title: name});
  button.dataset.say = name;
  at("texts").append(button);
}
at("text").addEventListener("input", () => {
  useText("text.txt", at("text").value);
  openSoon();
});
at("file").addEventListener("change", () => {
  const [chosen] = at("file").files;
  if (chosen) chooseFile(chosen).catch(error => {
    at("file").value = "";
    at("refused").textContent = error.message;
  });
});

/* ---- Lines that are left out ---- */

const MOST_LINES = 100; // of a longer text, or one that the box has only the beginning of, none can
const linesOf = () => at("text").value.split("\n");
const learnt = lines => linesOf().filter((_, i) => !lines.has(i)).join("\n");

// The numbers of the lines, and the lines once more, unseen under the box, so that each number is
// beside its line and a line that is struck out has a stroke.
function fillLines() {
  const lines = linesOf(), focused = [...at("numbers").children].findIndex(line =>
    line.contains(document.activeElement));
  at("strike").hidden = lines.length > MOST_LINES || file?.length > SHOWN;
  at("paper").classList.toggle("numbered", !at("strike").hidden);
  at("numbers").replaceChildren(...at("strike").hidden ? [] : lines.map((line, i) => {
    const button = makeButton(`${i + 1}`, () => strike(i), {hidden: !line.trim(),
      aria: {label: say("strike_line", {n: i + 1}), pressed: struck.has(i)}});
    return make("div", [button, make("span", line + "\u200b", {aria: {hidden: true}})]);
  }));
  const buttons = at("numbers").querySelectorAll("button:not([hidden])");
  const stop = at("numbers").children[focused]?.firstChild;
  onlyStop(at("numbers"), "button", stop || buttons[0]);
  stop?.focus();
}
rove(at("numbers"), "button:not([hidden])",
  button => onlyStop(at("numbers"), "button", button));

function strike(line) {
  if (!struck.delete(line)) struck.add(line);
  saved = null;
  reads = beginningOf([...struck].pop()) || reads;
  for (const one of [run, kept]) if (one && reads !== null) one.tell({text: reads});
  fillLines();
  openSoon();
}

// The longest beginning that a line shares with another line.
function beginningOf(line) {
  const words = linesOf()[line]?.trim().split(" ") || [];
  const others = linesOf().filter((_, i) => i !== line && !struck.has(i)).map(other => other + " ");
  for (; words.length; words.pop())
    if (others.some(other => other.trimStart().startsWith(words.join(" ") + " ")))
      return words.join(" ");
  return null;
}

// What the model reads first: the first pair, a turn and half of its answer, or half of the first
// line, so that something follows. In conversations every line is a turn.
function firstWords(text) {
  const line = text.split("\n").find(line => line.trim()) || "";
  if (line.includes("\t") && line.length < 100) return line;
  const turns = !/^(?![^:\n]+: ).*\S/m.test(text) && /^.+?: (.+)\n.+?: (.+)/.exec(text.trim());
  const words = (turns ? turns[2] : line.split("\t")[0]).trim().split(/ +/);
  const half = words.slice(0, Math.min(6, Math.ceil(words.length / 2))).join(" ").slice(0, 30).trim();
  return turns ? `${turns[1]}\t${half}` : half;
}

/* ---- The fields ---- */

// The options that have a field, by the names that config.json has for them, or their values; more
// is any other options, as they are typed after ./train.
const CHOICES = {
  layers: "layers", heads: "heads", width: "width", steps: "steps", "lr-factor": "lr-factor",
  seed: "seed", attend: "attend", tokens: ["word", "char", "bpe"],
  objective: ["next", "pairs", "turns", "masked"], more: null,
};
const FIRST = ["layers", "heads", "width", "steps", "seed"]; // the others are details
const field = choice => at("choice-" + choice);
const chosenOf = choice => field(choice).value.trim();

for (const [choice, values] of Object.entries(CHOICES)) {
  const words = make("span", ""), id = "choice-" + choice, autocomplete = "off";
  words.dataset.say = "choice_" + choice;
  const input = Array.isArray(values)
    ? make("select", ["", ...values].map(value => make("option", value, {value})),
      {id, autocomplete})
    : make("input", "", {id, autocomplete, autocapitalize: "off", spellcheck: false});
  input.addEventListener("input", () => {
    if (choice !== "steps") saved = null; // a run that was opened can be made longer
    openSoon();
  });
  at("settings").append(
    make("label", [words, input], {className: FIRST.includes(choice) ? "" : "detail"}));
}

// Shows in the empty fields what was chosen to suit the text.
function showChosen({config}) {
  for (const [choice, values] of Object.entries(CHOICES))
    if (Array.isArray(values))
      ["", ...values].forEach((value, i) => field(choice).options[i].textContent =
        value ? say("value_" + value) : `(${say("value_" + config[choice])})`);
    else if (values) field(choice).placeholder = config[values] ?? "all";
}

// The text's name and the options of the command: --layers 2 … In those that are typed, "…" keeps
// spaces.
const commandOf = lines => [lines.size ? "text.txt" : textName, ...chosen()];
function chosen() {
  return Object.keys(CHOICES).flatMap(choice => {
    const value = chosenOf(choice);
    if (choice === "more")
      return (value.match(/("[^"]*"|[^\s"])+/g) || []).map(word => word.replaceAll('"', ""));
    return value ? ["--" + choice, value] : [];
  });
}

/* ---- Links ---- */

// The address holds the choices, the language if it is not the browser's, and the text, so that a
// link opens the same experiment: the name of a text that is here, or all of it if it is short.
// Nothing is sent: what follows # stays in the browser. Safari allows few changes in a minute.
const SHORT = 2000;
const OURS = /^es/.test(navigator.language) ? "es" : "en";
const CARDS = JSON.parse(at("lesson-cards").textContent); // of the lesson
let card = -1; // the number of the one that is shown, or -1

function link() {
  const about = new URLSearchParams();
  for (const choice of Object.keys(CHOICES))
    if (chosenOf(choice)) about.set(choice, chosenOf(choice));
  const text = at("text").value, block = TEXTS.find(block => text === textOf(block));
  if (block) about.set("name", block.dataset.name);
  else if (!file && text.length <= SHORT) about.set("text", text);
  if (state.language !== OURS) about.set("language", state.language);
  if (struck.size) about.set("without", [...struck].map(line => line + 1).join());
  if (state.projector) about.set("projector", "1");
  if (card >= 0) about.set("card", CARDS[card].name);
  if (parent !== window) return; // in a notebook it has no address
  if (String(about) !== location.hash.slice(1)) history.replaceState(null, "", "#" + about);
}

function followLink() {
  const about = new URLSearchParams(location.hash.slice(1));
  const block = TEXTS.find(block => block.dataset.name === about.get("name"));
  card = CARDS.findIndex(({name}) => name === about.get("card"));
  if (card >= 0 || Object.keys(CHOICES).some(one => about.has(one) && !FIRST.includes(one)))
    state.details = true;
  project(about.has("projector"));
  state.language = ["en", "es"].find(one => one === about.get("language")) || OURS;
  if (block) chooseText(block);
  if (about.has("text")) useText("text.txt", about.get("text"));
  struck = new Set(about.get("without")?.split(",").map(line => line - 1));
  fillLines();
  for (const choice of Object.keys(CHOICES)) field(choice).value = about.get(choice) || "";
}
