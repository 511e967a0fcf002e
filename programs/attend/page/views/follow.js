// follow.js: in the lab, the page is in a frame around which its model is trained. The lab calls
// hear(), and takeWeights() of checkpoints.js; it is told what the page reads and lists, so that two
// of them read the same.

let told = toLine(FIRST); // what the other one was told, or reads by itself

const isFramed = () => document.documentElement.classList.contains("framed");

function tellLab(news) {
  if (isFramed()) parent.heard(window, news);
}

// The tokens that stand for no text, in plain words or by their own names; read again so.
function nameSpecials() {
  for (const name of ["bos", "eos", "unk", "sep", "mask"])
    tokenizer.display[tokenizer[name]] = state.details ? undefined : say(`plain_${name}`);
  reading.nameWords();
}

// A click must end on the button on which it began, but other weights make most buttons again: they
// wait for this while a pointer is pressed, at most for a second.
let released = Promise.resolve();
function untilReleased() { return released; }
addEventListener("pointerdown", () => {
  released = new Promise(done => {
    addEventListener("pointerup", () => setTimeout(done), {once: true}); // after the click
    setTimeout(done, 1000);
  });
});

function hear({shared, letters, listed, without, text}) {
  if (shared) {
    const root = document.documentElement;
    if (!isFramed() || shared.details !== state.details) {
      const first = data.heads.length - data.columns; // the last layer's, as in README's film
      state.form = "arcs";
      if (!shared.details) state.head = first;
      state.other = shared.details || data.columns === 1 ? -1 : first + 1;
    }
    Object.assign(state, shared);
    root.classList.add("framed");
    root.classList.toggle("plain", !state.details);
    root.style.fontSize = letters;
    nameSpecials();
    project(state.projector);
    repaint();
    tell("fit");
  }
  if (listed !== undefined) state.listed = listed;
  if (without !== undefined) state.without = without;
  if (listed !== undefined || without !== undefined) fillBars();
  if (text !== undefined && text !== at("typed").value) {
    told = text;
    retype(fromLine(text));
  }
}

views.push({ // see state.js
  read() {
    const text = at("typed").value;
    if (text !== told) tellLab({text});
    told = text;
  },
});
