// arcs.js: the words in a line, or in a column if a line has no room, and arcs from the word that
// is chosen to those it attends to: the wider, the more. The arcs of the other words are faint.

class Arcs {
  constructor(holder, about) {
    this.about = about; // weights(): T·T; word(): the chosen one; point(i); pin(i)
    this.canvas = make("canvas", "", {aria: {role: "img"}});
    this.scroller = make("div", this.canvas,
      {className: "scroller", tabIndex: 0, aria: {role: "group", label: about.label}});
    holder.append(this.scroller);
    this.draw = soon(() => this.drawNow());
    this.canvas.addEventListener("pointermove", event => about.point(this.under(event)));
    this.canvas.addEventListener("pointerleave", () => about.point(-1));
    this.canvas.addEventListener("click", event => about.pin(this.under(event)));
    this.scroller.addEventListener("keydown", event => {
      const arrow = arrowOf(event);
      if (!arrow) return;
      event.preventDefault();
      about.pin(Math.max(0, Math.min(reading.T - 1, about.word() + arrow[0] + arrow[1])));
    });
  }

  // Where each word stands: `along` the line or down the column.
  arrange(tall) {
    const wide = this.scroller.clientWidth, unit = rem(), pen = this.canvas.getContext("2d");
    if (!wide) return;
    pen.font = font(1.15, 600);
    const widths = reading.words.map(word => Math.max(pen.measureText(word).width, 2.4 * unit));
    const total = widths.reduce((a, b) => a + b, 0), gaps = Math.max(reading.T - 1, 1);
    const across = total + gaps * unit <= wide - 8, along = [];
    const gap = Math.min((wide - 8 - total) / gaps, 3 * unit);
    let left = (wide - total - (reading.T - 1) * gap) / 2, longest = 0;
    widths.forEach((width, i) => {
      along.push(across ? left + width / 2 : (i + 0.8) * 1.9 * unit);
      left += width + gap;
      longest = Math.max(longest, width);
    });
    const bow = across ? Math.min(tall - 5 * unit, wide * 0.42, 24 * unit) : 0;
    this.place = {across, along, bow, width: wide,
      base: across ? bow + 0.6 * unit : Math.min(longest, wide * 0.4) + 4.2 * unit,
      height: across ? bow + 4.4 * unit : (reading.T + 0.6) * 1.9 * unit};
    this.pen = penOn(this.canvas, wide, this.place.height);
    this.drawNow();
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect(), {across, along} = this.place;
    const place = across ? event.clientX - box.left : event.clientY - box.top;
    let best = 0;
    along.forEach((middle, i) => {
      if (Math.abs(middle - place) < Math.abs(along[best] - place)) best = i;
    });
    return best;
  }

  drawNow() {
    if (!this.place || this.place.along.length !== reading.T) return;
    this.pen.clearRect(0, 0, this.place.width, this.place.height);
    this.drawOn(this.pen);
  }

  save(kind, name) {
    saveDrawing(kind, name, this.place.width, this.place.height, pen => this.drawOn(pen));
  }

  drawOn(pen) {
    const weights = this.about.weights(), T = reading.T, chosen = this.about.word();
    for (let query = 0; query < T && T <= 200; query++)
      for (let key = 0; key < T; key++)
        if (query !== chosen && weights[query * T + key] >= 0.05)
          this.arc(pen, query, key, weights[query * T + key], 0.13);
    for (let key = 0; key < T; key++)
      if (weights[chosen * T + key] >= 0.005)
        this.arc(pen, chosen, key, weights[chosen * T + key], 1);
    for (let key = 0; key < T; key++) this.word(pen, key, chosen, weights[chosen * T + key]);
  }

  // From one word to another; to itself a small loop.
  arc(pen, query, key, weight, strength) {
    const {across, along, base, bow, width} = this.place, unit = rem();
    const from = along[query], to = along[key], far = Math.abs(from - to);
    const room = across ? bow : width - base - 6, self = query === key;
    const most = Math.max(...along) - Math.min(...along) || 1;
    const up = self ? 1.6 * unit : Math.min(room, (0.18 + 0.82 * far / most) * room) * 4 / 3;
    const spread = self ? 0.7 * unit : 0;
    const point = (place, high) => across ? [place, base - high] : [base + high, place];
    pen.save();
    pen.globalAlpha = strength * (0.4 + 0.6 * lift(weight));
    pen.strokeStyle = themed("--accent");
    pen.lineWidth = Math.max(1, 0.65 * unit * lift(weight));
    pen.beginPath();
    pen.moveTo(...point(from - spread / 3, 0));
    pen.bezierCurveTo(
      ...point(from - spread, up), ...point(to + spread, up), ...point(to + spread / 3, 0));
    pen.stroke();
    pen.restore();
  }

  word(pen, i, chosen, weight) {
    const {across, along, base} = this.place, unit = rem(), seen = weight >= 0;
    const chip = seen ? colour(weight) : null;
    pen.textBaseline = "middle";
    pen.textAlign = across ? "center" : "right";
    pen.fillStyle = i === chosen ? themed("--query") : seen ? themed("--ink") : themed("--quiet");
    pen.font = font(1.15, i === chosen ? 600 : 400);
    const [x, y] = across ? [along[i], base + unit] : [base - 4 * unit, along[i]];
    pen.fillText(cut(pen, reading.words[i], across ? 1e4 : base - 4.1 * unit), x, y);
    if (!seen) return;
    const [cx, cy] = across ? [along[i], base + 2.7 * unit] : [base - 1.9 * unit, along[i]];
    pen.fillStyle = css(chip);
    pen.fillRect(cx - 1.35 * unit, cy - 0.75 * unit, 2.7 * unit, 1.5 * unit);
    pen.textAlign = "center";
    pen.font = font(1, 500);
    pen.fillStyle = weight < 0.005 ? themed("--quiet") : inkOn(chip);
    pen.fillText(weight < 0.005 ? "0" : decimal(weight, 2), cx, cy + 0.5);
  }
}
