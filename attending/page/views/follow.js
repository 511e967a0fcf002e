// follow.js: in the lab, the page is in a frame around which its model is trained. It takes the
// weights and the colours from there, answers when it has computed the picture, and tells what it
// reads, so that two of them read the same.

let told = null; // what the other one was told

addEventListener("message", ({source, data: news, ports}) => {
  if (source !== parent || parent === window) return;
  if (news.weights) {
    takeWeights(news.weights);
    ports[0].postMessage("computed");
  }
  if (news.state) { // and the size of the letters
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
