// follow.js: in the lab, the page is in a frame around which its model is trained. It takes the
// weights and the colours from there, answers when it has computed the picture, and tells what it
// reads, so that two of them read the same.

let told = toLine(FIRST); // what the other one was told, or reads by itself

const isFramed = () => document.documentElement.classList.contains("framed");

// The tokens that stand for no text, in plain words or by their own names; read again so.
function nameSpecials() {
  for (const name of ["bos", "eos", "unk", "sep", "mask"])
    tokenizer.display[tokenizer[name]] = state.details ? undefined : say(`plain_${name}`);
  reading.nameWords();
}

function tellListed(listed) {
  if (isFramed()) parent.postMessage({listed}, "*");
}

// A click must end on the button on which it began, but other weights make most buttons again: they
// wait while a pointer is pressed, at most for a second.
let released = Promise.resolve();
addEventListener("pointerdown", () => {
  released = new Promise(done => {
    addEventListener("pointerup", () => setTimeout(done), {once: true}); // after the click
    setTimeout(done, 1000);
  });
});

addEventListener("message", ({source, data: news, ports}) => {
  if (source !== parent || parent === window) return;
  if (news.weights) released.then(() => {
    takeWeights(news.weights);
    ports[0].postMessage("computed");
  });
  if (news.state) { // and the size of the letters
    const root = document.documentElement;
    if (!isFramed() || news.state.details !== state.details) {
      const first = data.heads.length - data.columns; // the last layer's, as in README's film
      state.form = "arcs";
      if (!news.state.details) state.head = first;
      state.other = news.state.details || data.columns === 1 ? -1 : first + 1;
    }
    Object.assign(state, news.state);
    root.classList.add("framed");
    root.classList.toggle("plain", !state.details);
    root.style.fontSize = news.letters;
    nameSpecials();
    project(state.projector);
    repaint();
    tell("fit");
  }
  if (news.listed !== undefined || news.without !== undefined) {
    const {listed = state.listed, without = state.without} = news;
    Object.assign(state, {listed, without});
    fillBars();
  }
  if (news.text !== undefined && news.text !== at("typed").value) {
    told = news.text;
    retype(fromLine(news.text));
  }
});

views.push({ // see state.js
  read() {
    const text = at("typed").value;
    if (isFramed() && text !== told) parent.postMessage({text}, "*");
    told = text;
  },
});
