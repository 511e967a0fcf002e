// lesson.js: the lesson as cards. A card takes a guess, sets text and fields, trains or only reads,
// compares the guess with what the model does, and shows the answer. cards.awk takes the cards from
// docs/lesson.md and docs/leccion.md:
//
//     {name: "4.1", ask: "p croquetas", attend: "1", reads: "el perro come", en: words, es: words}
//
// ask     what is asked: loss, floor, or one of the FIGURES of the page
// text    perro.txt if there is none; "own": whatever stands there; add: a line more
// after   the step whose model is asked, if not the last; 0: the untrained one
// and the fields of CHOICES, and what the page reads: see readFor.

const guesses = {}, found = {}; // of each card, by its name
let busy = false;

// The parts of a line of Markdown: **bold**, *emphasis*, `code`, and of a link its words.
function marked(line) {
  return line.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/).map(part =>
    /^\*\*/.test(part) ? make("b", part.slice(2, -2)) : /^\*/.test(part) ? make("em", part.slice(1, -1))
      : /^`/.test(part) ? make("code", part.slice(1, -1))
        : part.replace(/^\[(.+)\]\(.+\)$/, "$1"));
}
const paragraphs = (text, className = "") =>
  text.split("\n").filter(Boolean).map(line => make("p", marked(line), {className}));

/* ---- The guess ---- */

// What one chooses among, by the value of each: places of the words, or names of heads; null if
// one types.
function optionsOf({ask, reads}) {
  const [kind, ...names] = ask.split(" ");
  if (kind === "cell") return {...["[bos]", ...reads.split(" ")]};
  return kind === "head" ? Object.fromEntries(names.map(name => [name, name])) : null;
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

// Decimals of a figure, as the lesson writes it.
const PLACES = {text: 3, p: 3, loss: 6, floor: 6, weight: 3, new: 0, cosine: 3};
const placesOf = ({ask}) => PLACES[ask.split(" ")[0]]; // undefined: the figure is no number

const isGuess = (shown, guess = "") => placesOf(shown) !== undefined ? !isNaN(numberOf(guess))
  : !!optionsOf(shown) && guess !== "" || /\p{L}/u.test(guess);

// The guess beside the figure. A number is right if it is at most 5 % away; of lines that were
// written, the new ones are counted.
function verdict(shown, guess, found) {
  const figure = !Array.isArray(found) ? found
    : found.reduce((sum, {times, inText}) => sum + (inText ? 0 : times), 0);
  const options = optionsOf(shown) || {}, places = placesOf(shown), isNumber = places !== undefined;
  const apart = Math.abs(numberOf(guess) - figure);
  const right = isNumber ? apart <= 0.05 * figure
    : guess.trim().toLowerCase() === String(figure).toLowerCase();
  const words = say("you_guessed", {guess: `*${options[guess] ?? guess}*`,
    found: `**${isNumber ? decimal(figure, places) : options[figure] ?? figure}**`});
  const more = right ? say("right")
    : isNumber ? say("apart", {n: Number(apart.toPrecision(2))}) : "";
  return make("p", marked(`${words} ${more}`), {className: right ? "right" : "apart"});
}

// What was found, and the answer.
function answerTo(shown) {
  const {name} = shown, result = found[name];
  return [
    verdict(shown, guesses[name], result),
    ...Array.isArray(result) ? [make("ol", lineItems(result), {className: "written"})] : [],
    ...paragraphs(shown[state.language].answer),
  ];
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
  at("guessed").placeholder =
    say({3: "a_share", undefined: "a_word"}[placesOf(shown)] || "a_number");
  at("choices").hidden = !options;
  at("choices").replaceChildren(...Object.entries(options || {}).map(([value, word]) =>
    makeButton(word, () => guess(value), {value})));
  at("card-back").disabled = card === 0;
  at("card-next").disabled = card === CARDS.length - 1;
  at("answer").replaceChildren(...shown.name in found ? answerTo(shown) : []);
  showGuess();
}

function showGuess() {
  const shown = CARDS[card];
  for (const button of at("choices").children)
    button.setAttribute("aria-pressed", button.value === guesses[shown.name]);
  at("answer").setAttribute("aria-busy", busy);
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
let own = null, ours = ""; // the pupil's text, while the cards set others; the last of theirs
function turnTo(number) {
  card = number;
  if (card < 0) giveBack();
  if (card >= 0) latest = card;
  state.details = state.details || card >= 0; // whose words the lesson has
  repaint();
  if (document.activeElement.disabled) at(card ? "card-back" : "card-next").focus();
}

/* ---- The experiment ---- */

// Waits until something is so, with the same run; `goes`: only while it trains.
async function until(isSo, goes = false) {
  for (const mine = run; !isSo(); await new Promise(done => setTimeout(done, 50)))
    if (run !== mine || phase === "failed" || goes && phase === "paused")
      throw new Error(say("disturbed"));
}

function giveBack() {
  if (!own) return;
  useText(own.name, own.text);
  file = own.file;
  own = null;
  link();
}

// Sets the text and the fields of a card.
function setFor({text = "perro.txt", add, ...set}) {
  if (text === "own") return giveBack();
  if (![...TEXTS.map(textOf), ours].includes(at("text").value))
    own = {name: textName, text: at("text").value, file};
  chooseText(TEXTS.find(block => block.dataset.name === text));
  if (add) useText("text.txt", `${at("text").value.trim()}\n${add}\n`);
  ours = at("text").value;
  for (const choice of Object.keys(CHOICES)) field(choice).value = set[choice] ?? "";
  link();
}

// Opens a run unless the one that is open, or being opened, has this text and these fields; trains it
// until the step whose model is asked, or shows that step again.
async function trainFor({after}) {
  const step = Number(after);
  await (soonOpen || !isOpen() || phase === "failed" || step > 0
    ? openRun() : opening?.catch(() => {})); // which has said what was wrong
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
  await until(() => !run.latest);
}

// The figure of a card, from the run or from its page.
async function figureFor(shown) {
  setFor(shown);
  await trainFor(shown);
  if (shown.ask === "floor") return run.floor;
  if (shown.ask === "loss")
    return run.log.findLast(row =>
      row[EVALUATED] !== null && row[STEP] <= (shown.after ?? run.steps))[EVALUATED];
  run.page.readFor(shown);
  return run.page.figureOf(shown.ask);
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
    showCard();
    if (document.activeElement === document.body) at("card-next").focus({preventScroll: true});
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
