// lesson.js: the lesson as cards. A card asks for a guess, sets text and fields, trains or only reads,
// and compares the guess with what the model does; then it shows the answer. cards.awk takes them from
// docs/lesson.md and docs/leccion.md:
//
//     {name: "4.1", ask: "p croquetas", attend: "1", reads: "el perro come", en: words, es: words}
//
// ask     what is asked: loss, floor, or one of FIGURES of the page; `add` is a line more of the text
// text    is that of perro.txt if nothing is said; "own": whatever stands there
// after   the step whose model is asked, if not the last; 0: the untrained one
// and the fields of CHOICES, and what the page reads: see readFor.

const guesses = {}, found = {}; // of each card, by its name
let busy = false;

const said = text => make("em", text);

// The parts of a line of Markdown: **bold**, *emphasis*, `code`, and of a link its words.
function marked(line) {
  return line.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/).map(part =>
    /^\*\*/.test(part) ? make("b", part.slice(2, -2)) : /^\*/.test(part) ? said(part.slice(1, -1))
      : /^`/.test(part) ? make("code", part.slice(1, -1))
        : part.replace(/^\[(.+)\]\(.+\)$/, "$1"));
}
const paragraphs = (text, className = "") =>
  text.split("\n").filter(Boolean).map(line => make("p", marked(line), {className}));

/* ---- The guess ---- */

const placesOf = ({reads}) => ["[bos]", ...reads.split(" ")];
// What one chooses among; null if one types.
function optionsOf(shown) {
  const [kind, ...names] = shown.ask.split(" ");
  return kind === "cell" ? placesOf(shown) : kind === "head" ? names : null;
}

// What a card asks for, in words.
function askedBy(shown) {
  const [kind, ...names] = shown.ask.split(" ");
  const [, layer, head] = /L(\d+)H(\d+)/.exec(shown.ask) || [];
  const word = names[names.length - 1], last = shown.reads?.split(" ").pop();
  return say(`ask_${kind}`, {...shown, word: `*${word}*`, last: `*${last}*`,
    reads: `*${shown.reads}*`, layer, head});
}

// A number as people write it: 0.5, 0,5, 1/2 or 50 %; NaN if it is none.
function numberOf(text) {
  const [, above, below = "1", percent] =
    /^(\d*[.,]?\d+)(?: *\/ *(\d+))? *(%?)$/.exec(text.trim()) || [];
  return Number(above?.replace(",", ".")) / Number(below) / (percent ? 100 : 1);
}

const isWord = ({ask}) => ask.startsWith("word");
const isGuess = (shown, guess) =>
  guess !== undefined && (optionsOf(shown) || (isWord(shown) ? guess.trim() : !isNaN(numberOf(guess))));

// Decimals of a figure, as the lesson writes it; else 3.
const PLACES = {loss: 6, floor: 6, new: 0};

// Whether a guess is right, in words: a number may be 5 % away.
function verdict(shown, guess, figure) {
  const options = optionsOf(shown), isNumber = !options && !isWord(shown);
  const apart = isNumber ? Math.abs(numberOf(guess) - figure) : 0;
  const right = isNumber ? apart <= 0.05 * Math.abs(figure)
    : guess.trim().toLowerCase() === String(figure);
  const named = value => isNumber && value === figure ? decimal(figure, PLACES[shown.ask.split(" ")[0]] ?? 3)
    : options?.[value] ?? value;
  const values = {guess: `*${named(guess)}*`, found: `**${named(figure)}**`};
  const more = right ? say("right") : isNumber ? say("apart", {n: Number(apart.toPrecision(2))}) : "";
  return make("p", marked(`${say("you_guessed", values)} ${more}`),
    {className: right ? "right" : "apart"});
}

/* ---- The card ---- */

function showCard() {
  document.body.classList.toggle("taught", card >= 0);
  at("lesson").setAttribute("aria-expanded", card >= 0);
  at("card").hidden = card < 0;
  if (card < 0) return;
  const shown = CARDS[card], {title, about, question} = shown[state.language];
  at("card-title").textContent = title;
  at("card-number").textContent = `${card + 1} / ${CARDS.length}`;
  at("card-words").replaceChildren(...paragraphs(about, "hint"), ...paragraphs(question));
  at("asked").replaceChildren(make("b", say("predict")), " ", ...marked(askedBy(shown)));
  const options = optionsOf(shown);
  at("guessed").hidden = !!options;
  at("guessed").value = guesses[shown.name] ?? "";
  at("guessed").placeholder = isWord(shown) ? "" : say("a_number");
  at("choices").hidden = !options;
  at("choices").replaceChildren(...(options || []).map((word, i) => {
    const button = make("button", word, {type: "button", value: shown.ask.startsWith("cell") ? i : word});
    button.addEventListener("click", () => guess(button.value));
    return button;
  }));
  at("card-back").disabled = card === 0;
  at("card-next").disabled = card === CARDS.length - 1;
  at("answer").replaceChildren(...shown.name in found ? [
    verdict(shown, guesses[shown.name], found[shown.name]),
    ...paragraphs(shown[state.language].answer)] : []);
  showGuess();
}

function showGuess() {
  const shown = CARDS[card];
  for (const button of at("choices").children)
    button.setAttribute("aria-pressed", button.value === guesses[shown.name]);
  at("card-run").disabled = busy || !isGuess(shown, guesses[shown.name]);
}

// Who guesses again runs again.
function guess(text) {
  const {name} = CARDS[card];
  guesses[name] = text;
  delete found[name];
  at("answer").replaceChildren();
  showGuess();
}

let latest = 0; // the card on which the lesson was closed
function turnTo(number) {
  card = number;
  if (card >= 0) latest = card;
  showCard();
  link();
}

/* ---- The experiment ---- */

// Waits until something is so, with the same run; `goes`: only while it trains.
async function until(isSo, goes = false) {
  for (const mine = run; !isSo(); await new Promise(done => setTimeout(done, 50)))
    if (run !== mine || phase === "failed" || goes && phase === "paused")
      throw new Error(say("disturbed"));
}

// Sets the text and the fields of a card.
function setFor({text = "perro.txt", add, ...set}) {
  if (text === "own") return;
  chooseText(TEXTS.find(block => block.dataset.name === text));
  if (add) {
    const more = `${at("text").value.trim()}\n${add}\n`;
    useText("text.txt");
    at("text").value = more;
  }
  for (const choice of Object.keys(CHOICES)) field(choice).value = set[choice] ?? "";
}

// Opens a run unless the one that is open has this text and these fields; trains it until the step
// whose model is asked, or shows that step again.
async function trainFor({after}) {
  const words = [textName, ...chosen()].join(" "), step = Number(after);
  const same = phase !== "failed" && run?.text === at("text").value && run.words.join(" ") === words;
  if (!same || soonOpen || step > 0) await openRun();
  await until(() => run.log.length && !run.waiting);
  if (after === undefined) {
    curve.choose(run.log.length - 1);
    if (phase !== "over") play();
    await until(() => phase === "over", true);
  } else if (step > 0) {
    for (let i = 0; i < step; i++) worker.postMessage({step: 1});
    enter("paused");
    await until(() => run.step() >= step);
  } else {
    if (phase === "going") pause();
    curve.choose(0);
  }
  await until(() => !run.drawing);
}

// The figure of a card, from the run or from its page.
async function figureFor(shown) {
  setFor(shown);
  await trainFor(shown);
  if (shown.ask === "floor") return run.floor;
  if (shown.ask === "loss")
    return run.log.slice(0, Number(at("moment").value) + 1).findLast(row => row[EVALUATED] !== null)[EVALUATED];
  const page = run.frame.contentWindow;
  page.readFor(shown);
  return page.figureOf(shown.ask);
}

async function runCard() {
  const shown = CARDS[card];
  busy = true;
  showGuess();
  at("answer").replaceChildren();
  try {
    found[shown.name] = await figureFor(shown);
  } finally {
    busy = false;
    if (card >= 0) showCard();
  }
}

at("lesson").addEventListener("click", () => turnTo(card < 0 ? latest : -1));
at("card-back").addEventListener("click", () => turnTo(card - 1));
at("card-next").addEventListener("click", () => turnTo(card + 1));
at("guessed").addEventListener("input", () => guess(at("guessed").value));
at("guess").addEventListener("submit", event => {
  event.preventDefault();
  if (!at("card-run").disabled) attempt(runCard);
});
views.push({paint: showCard}); // see state.js
