// app.js: links; then the page begins.

/* ---- Links ---- */

// #L2H3 chooses a head; &text=… another text, if the page has a model; &projector large letters.
function follow() {
  const [, layer, head] = location.hash.match(/^#L(\d+)H(\d+)/) || [];
  const text = new URLSearchParams(location.hash).get("text");
  if (model && text && text !== at("typed").value) {
    at("typed").value = text;
    if (reading) readTyped();
  }
  if (/[#&]projector\b/.test(location.hash) !== state.projector) {
    project(!state.projector);
    if (reading) tell("fit", "paint");
  }
  const index =
    data.heads.findIndex(one => one.layer === Number(layer) && one.head === Number(head));
  if (index >= 0 && index !== state.head) {
    setHead(index);
    if (reading) tell("choose");
  }
}

// Writes the link into the address, after a pause: browsers allow few such changes in a second.
let linking = 0;
function linkSoon() {
  clearTimeout(linking);
  if (parent === window) linking = setTimeout(link, 200); // in the lab's frame it has no address
}

function link() {
  const {layer, head} = data.heads[state.head];
  const other = model && at("typed").value !== toLine(FIRST);
  const hash = `#L${layer}H${head}${state.projector ? "&projector" : ""}` +
    (other ? `&text=${encodeURIComponent(at("typed").value)}` : "");
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

addEventListener("hashchange", follow);

function linkAgain() {
  if (location.hash || state.projector) linkSoon();
}
views.push({read: linkAgain, choose: linkSoon, fit: linkAgain}); // see state.js

/* ---- The beginning ---- */

// The head that tells most at first sight: the one whose attention is not on the word itself nor on
// [bos], and not spread evenly over all.
function mostTelling() {
  const telling = data.heads.map((_, index) => {
    const {entropy_bits, itself, bos} = reading.summary(index);
    return (1 - itself - bos) * (1 - entropy_bits / Math.log2(reading.T + 1));
  });
  return telling.indexOf(Math.max(...telling));
}

function beginLive() {
  at("entry").hidden = at("surprise").hidden = false;
  at("typed").value = toLine(FIRST);
  follow();
  at("typed").addEventListener("input", readTyped);
  at("typed").addEventListener("keydown", event => {
    if (event.key === "Enter") event.preventDefault();
  });
  at("restore").addEventListener("click", () => retype(FIRST));
  at("texts").hidden = data.texts.length < 2;
  at("choice").replaceChildren(
    ...data.texts.map((text, i) => make("option", toLine(text), {value: i})));
  at("choice").addEventListener("change", () => retype(data.texts[at("choice").value]));
  // A link may bring another text; the first one is read as it is, not as the line can hold it.
  const linked = at("typed").value !== toLine(FIRST) && readable(encode());
  if (!linked) at("typed").value = toLine(FIRST);
  read(linked ? encode() : tokenizer.encode(FIRST));
}

function beginStatic() {
  document.body.classList.add("static");
  follow();
  at("text").hidden = false;
  at("text").textContent = data.text;
  at("text").className = data.text.length > 120 ? "long" : "";
  reading = new PackedReading();
  state.word = reading.T - 1;
}

document.body.classList.toggle("many", data.columns > 8);
if (model) beginLive();
else beginStatic();
if (!/^#L\d+H\d/.test(location.hash)) state.head = mostTelling();
state.lifted = reading.T > 24; // among many words each gets little
repaint();
