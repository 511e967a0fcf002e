// table.js: a table of coloured cells on a canvas: the words of one head by words, one word in all
// heads, or positions by positions. `about` says what is in it:
//
//     rows, columns   functions: the labels
//     value(r, c)     a number, or -1 (NaN for cosines) if there is none
//     colour(value)   of a cell, as [red, green, blue]
//     looked          function: {row, column} that is looked at, -1 if none
//     point(cell)     the pointer is at {row, column}, or null: nowhere
//     pin(cell)       the user has chosen a cell
//     square          whether cells are
//     marks           function: rows and columns that are the source; 0: no marks

const LEGIBLE = 0.95; // the least height of a row whose word can be read, in rem
const MARK_ROOM = 20;

class Table {
  constructor(holder, about) {
    this.about = about;
    this.canvas = make("canvas", "", {aria: {role: "img"}});
    this.room = make("div", this.canvas, {className: "room"});
    this.scroller = make("div", this.room,
      {className: "scroller", tabIndex: 0, aria: {role: "group", label: about.label}});
    holder.append(this.scroller);
    this.draw = soon(() => this.drawNow());
    this.scroller.addEventListener("scroll", this.draw);
    this.scroller.addEventListener("keydown", event => this.key(event));
    this.canvas.addEventListener("pointermove", event => about.point(this.under(event)));
    this.canvas.addEventListener("pointerleave", () => about.point(null));
    this.canvas.addEventListener("click", event => {
      const cell = this.under(event);
      if (cell) about.pin(cell);
    });
  }

  /* ---- Where everything lies, in pixels ---- */

  // place: {left, top} of the cells, {w, h} of one, the words' direction, the size of all. `zoom`
  // enlarges beyond what fits; `wide` and `tall` are the room there is.
  layOut(pen, wide, tall, zoom) {
    const {rows, columns, square} = this.about, unit = rem();
    const R = rows().length, C = columns().length;
    const marks = this.about.marks && this.about.marks() ? MARK_ROOM : 0;
    pen.font = font(0.95, 600); // words are widest in bold
    const widest = words =>
      words.reduce((most, word) => Math.max(most, pen.measureText(word).width), 0);
    const most = wide < 32 * unit ? 5.5 * unit : 10 * unit;
    const longest = Math.min(most, widest(rows()) + 2);
    const high = Math.min(most, widest(columns()) + 2);
    const left = Math.ceil(longest + 0.7 * unit + marks);
    const level = Math.ceil(1.9 * unit), slanted = Math.ceil(0.72 * high + unit);
    const fits = (top, right) => {
      const w = Math.min((wide - left - right) / C, 5.5 * unit), h = (tall - top - marks) / R;
      return square ? [Math.min(w, h), Math.min(w, h)] :
                      [w, Math.max(1.5 * unit, Math.min(h, 2.6 * unit))];
    };
    let turn = "level", top = level, right = 2, [w, h] = fits(level, 2);
    if (w < high + 4) {
      [turn, top, right] = ["slanted", slanted, slanted * 0.75];
      [w, h] = fits(top, right);
    }
    if (w < 1.6 * unit && turn === "slanted") {
      [turn, top, right] = ["turned", Math.ceil(high + 0.7 * unit), 4];
      [w, h] = fits(top, right);
    }
    const grown = size => {
      const wanted = Math.max(size, Math.min(size * zoom, 4 * unit));
      return wanted < 8 ? wanted : Math.floor(wanted); // whole pixels
    };
    const fitted = w;
    [w, h] = [grown(w), square ? grown(w) : grown(h)];
    return {left, top, w, h, turn, marks, longest, high, R, C, fitted, ...this.numbers(w, unit),
      whole: {width: Math.ceil(left + w * C + right), height: Math.ceil(top + h * R + marks + 2)}};
  }

  // How large the numbers in cells are; in narrow ones the 0 before the point is left out.
  numbers(w, unit) {
    const brief = w < 2.2 * unit && !(this.about.least < 0);
    return {brief, number: Math.min(1.05 * unit, w / (brief ? 2.35 : 2.9))};
  }

  // Fits the canvas into its scroller; draws.
  arrange(tall, zoom = 1) {
    const {scroller} = this, wide = scroller.clientWidth;
    if (!wide) return; // it is hidden
    this.place = this.layOut(this.canvas.getContext("2d"), wide, tall, zoom);
    const {whole} = this.place;
    this.room.style.width = `${whole.width}px`;
    this.room.style.height = `${whole.height}px`;
    scroller.style.height = whole.height > tall + 20 && zoom > 1 ? `${tall}px` : "";
    this.width = Math.min(whole.width, scroller.clientWidth);
    this.height = Math.min(whole.height, scroller.clientHeight || whole.height);
    this.pen = penOn(this.canvas, this.width, this.height);
    this.drawNow();
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect(), {left, top, w, h, R, C} = this.place;
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const column = Math.floor((x - left + this.scroller.scrollLeft) / w);
    const row = Math.floor((y - top + this.scroller.scrollTop) / h);
    if (y < top || row >= R || column >= C) return null;
    return {row, column: x < left ? -1 : column}; // -1: the row's word
  }

  // The middle of a cell on the screen.
  middleOf(row, column) {
    const box = this.canvas.getBoundingClientRect(), {left, top, w, h} = this.place;
    return [box.x + left - this.scroller.scrollLeft + (column + 0.5) * w,
      box.y + top - this.scroller.scrollTop + (row + 0.5) * h];
  }

  key(event) {
    const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.altKey || event.metaKey) return;
    const now = this.about.looked(), {R, C} = this.place;
    const inside = (i, count) => Math.max(0, Math.min(count - 1, i));
    const cell = {row: inside(now.row < 0 ? 0 : now.row + (now.column < 0 ? 0 : arrow[0]), R),
      column: inside(now.column < 0 ? Math.max(now.row, 0) : now.column + arrow[1], C)};
    event.preventDefault();
    this.about.pin(cell, true);
    this.show(cell);
  }

  // Scrolls a cell into view.
  show({row, column}) {
    const {left, top, w, h} = this.place;
    const into = (now, from, size, room) =>
      from < now ? from : from + size > now + room ? from + size - room : now;
    this.scroller.scrollLeft = into(this.scroller.scrollLeft, column * w, w, this.width - left);
    this.scroller.scrollTop = into(this.scroller.scrollTop, row * h, h, this.height - top);
  }

  /* ---- Drawing ---- */

  drawNow() {
    if (!this.place || !this.scroller.clientWidth) return;
    this.pen.clearRect(0, 0, this.width, this.height);
    this.drawOn(this.pen, this.place, -this.scroller.scrollLeft, -this.scroller.scrollTop,
      this.width, this.height - this.place.marks);
  }

  // The whole table, not only what is scrolled into view.
  save(kind, name) {
    const {whole, marks} = this.place;
    saveDrawing(kind, name, whole.width, whole.height,
      pen => this.drawOn(pen, this.place, 0, 0, whole.width, whole.height - marks));
  }

  drawOn(pen, place, dx, dy, width, height) {
    const {left, top, w, h, R, C} = place, x0 = left + dx, y0 = top + dy; // of the first cell
    const range = {
      x0: Math.max(0, Math.floor((left - x0) / w)), y0: Math.max(0, Math.floor((top - y0) / h)),
      x1: Math.min(C, Math.ceil((width - x0) / w)), y1: Math.min(R, Math.ceil((height - y0) / h)),
    };
    pen.save();
    pen.beginPath();
    pen.rect(left, top, Math.min(w * C, width - left), Math.min(h * R, height - top));
    pen.clip();
    pen.fillStyle = hatching(pen);
    pen.fillRect(left, top, Math.min(w * C, width - left), Math.min(h * R, height - top));
    if (w >= 3) this.drawCells(pen, place, x0, y0, range);
    else pen.drawImage(this.image(), x0, y0, w * C, h * R);
    this.drawLooked(pen, place, x0, y0);
    pen.restore();
    this.drawWords(pen, place, x0, y0, range, width, height);
    if (place.marks) this.drawMarks(pen, place, x0, y0, width, height);
  }

  drawCells(pen, {w, h, number, brief}, x0, y0, range) {
    const gap = w >= 8 ? 1 : 0, card = themed("--card"), quiet = themed("--quiet");
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let row = range.y0; row < range.y1; row++)
      for (let column = range.x0; column < range.x1; column++) {
        const value = this.about.value(row, column);
        if (!(value >= (this.about.least || 0))) continue;
        const c = this.about.colour(value), x = x0 + column * w, y = y0 + row * h;
        pen.fillStyle = card;
        pen.fillRect(x, y, w, h);
        pen.fillStyle = css(c);
        pen.fillRect(x, y, w - gap, h - gap);
        if (number < 9.5) continue;
        const none = Math.abs(value) < 0.005; // a lone 0 lets the others stand out
        pen.font = font(number / rem(), 500);
        pen.fillStyle = none ? quiet : inkOn(c);
        const shown = decimal(value, 2), short = shown[0] === "1" ? "1" : shown.slice(1);
        pen.fillText(none ? "0" : brief ? short : shown, x + w / 2, y + h / 2 + 0.5);
      }
  }

  // One dot for each cell, if cells are too small to be drawn one by one.
  image() {
    const {R, C} = this.place, image = document.createElement("canvas");
    [image.width, image.height] = [C, R];
    const brush = image.getContext("2d"), dots = brush.createImageData(C, R);
    for (let row = 0; row < R; row++)
      for (let column = 0; column < C; column++) {
        const value = this.about.value(row, column);
        if (!(value >= (this.about.least || 0))) continue;
        const [r, g, b] = this.about.colour(value);
        dots.data.set([r, g, b, 255], 4 * (row * C + column));
      }
    brush.putImageData(dots, 0, 0);
    return image;
  }

  // The row and the column that are looked at stand out: the rest is faded.
  drawLooked(pen, {w, h, R, C}, x0, y0) {
    const {row, column} = this.about.looked(), gap = w >= 8 ? 1 : 0;
    if (row >= 0 && column >= 0) {
      pen.save();
      pen.globalAlpha = 0.5;
      pen.fillStyle = themed("--card");
      const [x, y, X, Y] = [x0 + column * w, y0 + row * h, x0 + C * w, y0 + R * h];
      for (const [fx, fw] of [[x0, x - x0], [x + w, X - x - w]])
        for (const [fy, fh] of [[y0, y - y0], [y + h, Y - y - h]]) pen.fillRect(fx, fy, fw, fh);
      pen.restore();
      pen.strokeStyle = themed("--ink");
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(w - gap, 3) - 2, Math.max(h - gap, 3) - 2);
    } else if (row >= 0) {
      pen.strokeStyle = themed("--query");
      pen.lineWidth = 2;
      pen.strokeRect(x0 + 1, y0 + row * h + 1, C * w - gap - 2, Math.max(h - gap, 3) - 2);
    }
  }

  drawWords(pen, place, x0, y0, range, width, height) {
    const {left, top, w, h, turn, longest, high, marks} = place, looked = this.about.looked();
    const rows = this.about.rows(), columns = this.about.columns();
    const colours = {
      ink: themed("--ink"),
      quiet: themed("--quiet"),
      row: themed("--query"),
      column: themed("--accent")
    };
    // The word that is looked at is always written; those that would overlap it are left out.
    const write = (kind, words, i, size, x, y, angle, align, room) => {
      const read = looked[kind], least = LEGIBLE * rem(), every = Math.ceil(least / size);
      if (i !== read && (i % every || read >= 0 && Math.abs(i - read) * size < least)) return;
      pen.save();
      pen.translate(x, y);
      pen.rotate(angle);
      pen.textAlign = align;
      pen.fillStyle = i === read ? colours[kind] : looked.row < 0 ? colours.ink : colours.quiet;
      pen.font = font(0.95, i === read ? 600 : 400);
      // Every third word would read like a sentence; numbers do not.
      pen.fillText(cut(pen, every > 2 && i !== read ? String(i + 1) : words[i], room), 0, 0);
      pen.restore();
    };
    pen.textBaseline = "middle";
    pen.save();
    pen.beginPath();
    pen.rect(0, top - 9, left, height - top + 9);
    pen.clip();
    for (let i = range.y0; i < range.y1; i++)
      write("row", rows, i, h, left - 0.5 * rem(), y0 + (i + 0.5) * h, 0, "right", longest);
    pen.restore();
    pen.save();
    pen.beginPath();
    pen.rect(left - 9, 0, width, top);
    pen.clip();
    const [shift, angle, align] = {level: [0.5, 0, "center"], slanted: [0.6, -Math.PI / 4, "left"],
      turned: [0.5, -Math.PI / 2, "left"]}[turn];
    for (let i = range.x0; i < range.x1; i++)
      write("column", columns, i, turn === "level" ? Infinity : w, x0 + (i + shift) * w,
        top - (turn === "level" ? 0.85 : 0.45) * rem(), angle, align, high);
    pen.restore();
  }

  // The lines between source and target, and the names of both, which stay in view.
  drawMarks(pen, {left, top, w, h, R, C, marks}, x0, y0, width, height) {
    const source = this.about.marks();
    const right = Math.min(x0 + C * w, width), bottom = Math.min(y0 + R * h, height);
    const x = x0 + source * w - 0.5, y = y0 + source * h - 0.5;
    const names = (before, after, at, from, end) => { // on both sides of a line
      pen.textAlign = "right";
      if (at > from + 8) pen.fillText(before, Math.min(at, end) - 6, 0);
      pen.textAlign = "left";
      if (at < end - 8) pen.fillText(after, Math.max(at, from) + 6, 0);
    };
    pen.save();
    pen.strokeStyle = pen.fillStyle = themed("--query");
    pen.lineWidth = 1.5;
    pen.font = font(0.8);
    pen.textBaseline = "middle";
    pen.beginPath();
    if (x > left && x < right) {
      pen.moveTo(x, top);
      pen.lineTo(x, bottom + marks);
    }
    if (y > top && y < bottom) {
      pen.moveTo(0, y);
      pen.lineTo(right, y);
    }
    pen.stroke();
    pen.translate(0, bottom + marks / 2 + 1);
    names(say("source"), say("target"), x, left, right);
    pen.translate(8, -bottom - marks / 2 - 1);
    pen.rotate(-Math.PI / 2); // along this axis the last row comes first
    names(say("target"), say("source"), -y, -bottom, -top);
    pen.restore();
  }
}
