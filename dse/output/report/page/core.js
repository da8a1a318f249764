// The data, the state of the page, and how elements and numbers are made. Names are only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
for (const group of data.groups) for (const name of ["processors", "memories"]) if (group[name]) group[name] = rowsOf(group[name]);
for (const design of data.designs) design.resident = rowsOf(design.resident);
for (const design of data.designs) for (const name of ["remark", "verification"]) design[name] = data.texts[design[name]] ?? null;
for (const design of data.designs) design.steps &&= design.steps.map((step) => data.texts[step]);
const pathOf = new Map(rowsOf(data.datapaths).map((path) => [`${path.splits} ${path.task} ${path.interval}`, path]));

// What the tasks of the chosen design are: {network, least}. Splits of sums make other tasks.
const tasksNow = () => data.split[state.chosen?.splits] ?? data;
// How to get what a report that an exploration ended with leaves out.
const laterText = data.later ? `; '${data.later}' writes one that has them` : "";
const figureOf = new Map(data.figures.map((figure, place) => [figure.name, { ...figure, place }]));
const state = { x: "", y: "", filters: [], sort: { by: "", down: false }, chosen: null, rows: [], page: 0, zoom: null, compared: [], against: null };

// {a: [1, 2], b: [3, 4]} as [{a: 1, b: 3}, {a: 2, b: 4}].
function rowsOf(columns) {
  const names = Object.keys(columns);
  return names.length ? columns[names[0]].map((_, row) => Object.fromEntries(names.map((name) => [name, columns[name][row]]))) : [];
}

const byId = (id) => document.getElementById(id);
const value = (design, name) => design.values[figureOf.get(name).place];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, given] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(given)) element.addEventListener(event, act);
    else if (given !== null && given !== false) element.setAttribute(name, given === true ? "" : given);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, given] of Object.entries(attributes)) if (given !== null) element.setAttribute(name, given);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const picture = (width, height, label) =>
  draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });

// A table whose columns in `left` hold text, and whose rows begin with their heads.
function grid(caption, heads, rows, left = []) {
  const side = (place) => (place === 0 || left.includes(place) ? "text" : null);
  const cell = (tag, content, place, scope) => make(tag, { class: side(place), scope }, ...[content].flat());
  const head = make("tr", {}, ...heads.map((one, place) => cell("th", one, place, "col")));
  const body = rows.map((row) => make("tr", {}, ...row.map((one, place) => (place ? cell("td", one, place, null) : cell("th", one, 0, "row")))));
  return wide(caption, make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, head), make("tbody", {}, ...body)));
}

// What may be wider than the page; whoever has no mouse can scroll it too (`reachable`).
const wide = (name, ...children) => make("div", { class: "wide", role: "group", "aria-label": name }, ...children);

function reachable(holder) {
  for (const box of holder.querySelectorAll(".wide"))
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
}

// Something that is made when it is opened.
function folded(summary, name, build, open = false) {
  const box = make("details", { class: name }, make("summary", {}, summary));
  const fill = () => { if (box.open && box.children.length === 1) box.append(build()); };
  box.addEventListener("toggle", fill);
  box.fill = fill;
  box.open = open;
  fill();
  return box;
}

const say = (text) => { byId("said").textContent = text; };

const note = (text) => make("p", { class: "note" }, text);

const commandOf = (command, design) => command.replace("ID", design.id);

function label(x, y, text, attributes = {}) {
  return draw("text", { x, y, ...attributes }, text);
}

function titled(element, text) {
  element.append(draw("title", {}, text));
  return element;
}

// Pixels of a letter in pictures, and of a bold one.
const LETTER = 6.7;
const BOLD = 7.9;

// The longest beginning of a text that fits a width.
function fitted(text, width) {
  const room = Math.max(1, Math.floor(width / LETTER));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

// Made once: toLocaleString makes them anew for each number, which takes most of the time of a table.
const digitsAtMost = new Map([0, 1, 3].map((digits) => [digits, new Intl.NumberFormat("en-US", { maximumFractionDigits: digits })]));

function shown(number) {
  if (number === null || number === undefined) return "∞";
  const digits = Number.isInteger(number) ? 0 : Math.abs(number) < 10 ? 3 : 1;
  return digitsAtMost.get(digits).format(number);
}

function compact(number) {
  for (const [size, suffix] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(number) >= size) return `${+(number / size).toPrecision(4)}${suffix}`;
  return `${+number.toPrecision(4)}`;
}

// How data of a stream come and go.
const portOf = (stream) => stream.interface === "axis" ? "AXI4-Streams" : `chunks of ${counted(stream.chunk, "pulse")}`;
const counted = (count, noun) => `${shown(count)} ${noun}${count === 1 ? "" : "s"}`;

// Numbers in words of memory: 672 elements, 2.6 KiB.
function bitsText(bits) {
  return bits < 8192 ? counted(bits, "bit") : `${shown(Math.round((bits / 8192) * 10) / 10)} KiB`;
}

const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(part / whole < 0.095 ? 1 : 0)}%` : "0%");

const keeps = (design) =>
  state.filters.every((one) => {
    const found = value(design, one.figure) ?? Infinity;
    return one.relation === "<=" ? found <= one.bound : found >= one.bound;
  });

const visible = () => data.designs.filter(keeps);
