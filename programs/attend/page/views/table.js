// table.js: a table of coloured cells on a canvas: the words of one head by words, one word in all
// heads, or positions by positions. `about` says what is in it:
//
//     rows, columns   functions: the labels
//     value(r, c)     a number, or -1 (NaN for cosines) if there is none
//     colour(value)   of a cell, as [red, green, blue]
//     looked          function: {row, column} that is looked at, -1 if none
//     point(cell)     the pointer is at {row, column}, or null: nowhere
//     pin(cell)       the user has chosen a cell
//     square          whether cells are; on a projector they may be wider
//     marks           function: rows and columns that are the source; 0: no marks

const LEGIBLE = 0.95; // the least height of a row whose word can be read, in rem
const MARK_ROOM = 20;

// How the words above the columns can stand if the longest takes `high`: the room above the cells
// and on their right, and how wide a cell must be at least. The first that fits is taken.
function directions(high) {
  const unit = rem(), slanted = Math.ceil(0.72 * high + unit);
  return [
    {turn: "level", top: Math.ceil(1.9 * unit), right: 2, least: high + 4},
    {turn: "slanted", top: slanted, right: 0.75 * slanted, least: 1.6 * unit},
    {turn: "turned", top: Math.ceil(high + 0.7 * unit), right: 4, least: -Infinity},
  ];
}

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
    const {rows, columns, marks: source} = this.about, unit = rem();
    const R = rows().length, C = columns().length, marks = source && source() ? MARK_ROOM : 0;
    const most = wide < 32 * unit ? 5.5 * unit : 10 * unit;
    pen.font = font(0.95, 600); // words are widest in bold
    const [longest, high] = [rows(), columns()].map(words =>
      Math.min(most, 2 + Math.max(...words.map(word => pen.measureText(word).width))));
    const left = Math.ceil(longest + 0.7 * unit + marks), tried = directions(high).map(way =>
      ({...way, ...this.cellSize(wide - left - way.right, tall - way.top - marks, R, C)}));
    const {turn, top, right, w: fitted, h: fittedHeight} = tried.find(({w, least}) => w >= least);
    const grown = size => {
      const wanted = Math.max(size, Math.min(size * zoom, 4 * unit));
      return wanted < 8 ? wanted : Math.floor(wanted); // whole pixels
    };
    const w = grown(fitted), h = grown(fittedHeight);
    return {left, top, w, h, turn, marks, longest, high, R, C, fitted, ...this.numbers(w, h),
      whole: {width: Math.ceil(left + w * C + right), height: Math.ceil(top + h * R + marks + 2)}};
  }

  // The size of a cell if R · C of them have so much room.
  cellSize(wide, tall, R, C) {
    const unit = rem(), w = Math.min(wide / C, 5.5 * unit), h = tall / R;
    if (this.about.square) return {w: state.projector ? w : Math.min(w, h), h: Math.min(w, h)};
    return {w, h: Math.max(1.5 * unit, Math.min(h, 2.6 * unit))};
  }

  // How large the numbers in cells are; in narrow ones the 0 before the point is left out.
  numbers(w, h) {
    const unit = rem(), brief = w < (state.projector ? 2.8 : 2.2) * unit && !(this.about.least < 0);
    return {brief, number: Math.min(1.05 * unit, w / (brief ? 2.35 : 2.9), h / 1.15)};
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

  key(event) {
    const arrow = arrowOf(event);
    if (!arrow) return;
    const now = this.about.looked(), {R, C} = this.place;
    const inside = (i, count) => Math.max(0, Math.min(count - 1, i));
    const cell = {row: inside(now.row < 0 ? 0 : now.row + (now.column < 0 ? 0 : arrow[1]), R),
      column: inside(now.column < 0 ? Math.max(now.row, 0) : now.column + arrow[0], C)};
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
    this.drawOn(this.pen, this.scroller.scrollLeft, this.scroller.scrollTop,
      this.width, this.height - this.place.marks);
  }

  // The whole table, not only what is scrolled into view.
  save(kind, name) {
    const {whole, marks} = this.place;
    saveDrawing(kind, name, whole.width, whole.height,
      pen => this.drawOn(pen, 0, 0, whole.width, whole.height - marks));
  }

  // What is seen if the table is scrolled: the first cell is at x, y, the cells end at right,
  // bottom, and those of some rows and columns are drawn, the last ones excluded.
  drawOn(pen, scrolledX, scrolledY, width, height) {
    const {left, top, w, h, R, C, marks} = this.place;
    const x = left - scrolledX, y = top - scrolledY;
    const right = Math.min(x + C * w, width), bottom = Math.min(y + R * h, height);
    const seen = {
      x, y, right, bottom,
      rows: [Math.floor(scrolledY / h), Math.min(R, Math.ceil((height - y) / h))],
      columns: [Math.floor(scrolledX / w), Math.min(C, Math.ceil((width - x) / w))],
    };
    within(pen, left, top, right, bottom, () => {
      pen.fillStyle = hatching(pen);
      pen.fillRect(left, top, right - left, bottom - top);
      if (w >= 3) this.drawCells(pen, seen);
      else pen.drawImage(this.image(), x, y, w * C, h * R);
      this.drawLooked(pen, seen);
    });
    within(pen, 0, top - 9, left, height, () => this.drawRowWords(pen, seen));
    within(pen, left - 9, 0, width, top, () => this.drawColumnWords(pen, seen));
    if (marks) this.drawMarks(pen, seen);
  }

  drawCells(pen, seen) {
    const {w, h, number, brief} = this.place, gap = w >= 8 ? 1 : 0;
    const card = themed("--card"), quiet = themed("--quiet");
    pen.textAlign = "center";
    for (let row = seen.rows[0]; row < seen.rows[1]; row++)
      for (let column = seen.columns[0]; column < seen.columns[1]; column++) {
        const value = this.about.value(row, column);
        if (!(value >= (this.about.least || 0))) continue;
        const c = this.about.colour(value);
        const x = seen.x + column * w, y = seen.y + row * h;
        pen.fillStyle = card;
        pen.fillRect(x, y, w, h);
        pen.fillStyle = css(c);
        pen.fillRect(x, y, w - gap, h - gap);
        if (number < (state.projector ? 0.93 * rem() : 9.5)) continue;
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

  // Frames around the row, the column and the cell that are looked at; all keep their colours.
  drawLooked(pen, {x, y}) {
    const {w, h, R, C} = this.place, {row, column} = this.about.looked(), gap = w >= 8 ? 1 : 0;
    const frame = (colour, thick, row, column, rows, columns) => {
      pen.lineWidth = thick;
      pen.strokeStyle = themed(colour);
      pen.strokeRect(x + column * w + thick / 2, y + row * h + thick / 2,
        Math.max(columns * w - gap, 3) - thick, Math.max(rows * h - gap, 3) - thick);
    };
    if (row < 0) return;
    frame("--query", 2, row, 0, 1, C);
    if (column < 0) return;
    frame("--accent", 2, 0, column, R, 1);
    frame("--ink", 3, row, column, 1, 1);
  }

  drawRowWords(pen, {y, rows: [first, end]}) {
    const {left, h, longest} = this.place, words = this.about.rows();
    pen.textAlign = "right";
    for (let i = first; i < end; i++)
      this.write(pen, "row", i, this.label("row", words, i, h),
        left - 0.5 * rem(), y + (i + 0.5) * h, longest);
  }

  drawColumnWords(pen, {x, columns: [first, end]}) {
    const {top, w, turn, high} = this.place, words = this.about.columns();
    const [aside, up, angle] = {level: [0.5, 0.85, 0], slanted: [0.6, 0.45, -Math.PI / 4],
      turned: [0.5, 0.45, -Math.PI / 2]}[turn];
    pen.textAlign = turn === "level" ? "center" : "left";
    for (let i = first; i < end; i++)
      this.write(pen, "column", i, this.label("column", words, i, turn === "level" ? Infinity : w),
        x + (i + aside) * w, top - up * rem(), high, angle);
  }

  // What names a row or a column that has so much room: its word. The one that is looked at is
  // always named; those that would overlap it are not. If only every third or fewer can be named,
  // it is by their numbers, because the words would read like a sentence.
  label(kind, words, i, size) {
    const read = this.about.looked()[kind], least = LEGIBLE * rem();
    const every = Math.ceil(least / size);
    if (i === read) return words[i];
    if (i % every || read >= 0 && Math.abs(i - read) * size < least) return "";
    return every > 2 ? String(i + 1) : words[i];
  }

  write(pen, kind, i, label, x, y, room, angle = 0) {
    const looked = this.about.looked(), read = i === looked[kind];
    if (!label) return;
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle);
    pen.fillStyle = themed(
      read ? {row: "--query", column: "--accent"}[kind] : looked.row < 0 ? "--ink" : "--quiet");
    pen.font = font(0.95, read ? 600 : 400);
    pen.fillText(cut(pen, label, room), 0, 0);
    pen.restore();
  }

  // The lines between source and target, and the names of both, which stay in view.
  drawMarks(pen, seen) {
    const {left, top, w, h, marks} = this.place, {right, bottom} = seen;
    const source = this.about.marks();
    const x = seen.x + source * w - 0.5, y = seen.y + source * h - 0.5;
    const names = (before, after, at, from, end) => { // on both sides of a line
      pen.textAlign = "right";
      if (at > from + 8) pen.fillText(before, Math.min(at, end) - 6, 0);
      pen.textAlign = "left";
      if (at < end - 8) pen.fillText(after, Math.max(at, from) + 6, 0);
    };
    pen.save();
    pen.fillStyle = themed("--query");
    pen.font = font(0.8);
    pen.textBaseline = "middle";
    if (x > left && x < right) line(pen, [[x, top], [x, bottom + marks]], pen.fillStyle, 1.5);
    if (y > top && y < bottom) line(pen, [[0, y], [right, y]], pen.fillStyle, 1.5);
    pen.translate(0, bottom + marks / 2 + 1);
    names(say("source"), say("target"), x, left, right);
    pen.translate(8, -bottom - marks / 2 - 1);
    pen.rotate(-Math.PI / 2); // along this axis the last row comes first
    names(say("target"), say("source"), -y, -bottom, -top);
    pen.restore();
  }
}
