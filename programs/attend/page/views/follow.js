// follow.js: in the lab, the page is in a frame around which its model is trained. It takes the
// weights and the colours from there, answers when it has computed the picture, and tells what it
// reads, so that two of them read the same.

let told = toLine(FIRST); // what the other one was told, or reads by itself

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
    if (!document.documentElement.classList.contains("framed")) state.form = "arcs";
    Object.assign(state, news.state);
    document.documentElement.classList.add("framed");
    document.documentElement.style.fontSize = news.letters;
    project(state.projector);
    repaint();
    tell("fit");
  }
  if (news.text !== undefined && news.text !== at("typed").value) {
    told = news.text;
    retype(fromLine(news.text));
  }
});

views.push({ // see state.js
  read() {
    const text = at("typed").value, {classList} = document.documentElement;
    if (classList.contains("framed") && text !== told) parent.postMessage({text}, "*");
    told = text;
  },
});
