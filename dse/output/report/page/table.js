// The sorted table of designs.
function sortedDesigns() {
  const { by, down } = state.sort;
  const found = visible();
  if (!by) return found;
  const key = by === "id" ? null : figureOf.get(by).place;
  const compare = key === null
    ? (a, b) => a.id.localeCompare(b.id, "en", { numeric: true })
    : (a, b) => (a.values[key] ?? Infinity) - (b.values[key] ?? Infinity);
  return found.sort((a, b) => (down ? -1 : 1) * compare(a, b));
}

function renderTable() {
  const names = ["id", ...data.figures.map((figure) => figure.name)];
  const rows = sortedDesigns();
  const first = rows.slice(0, state.rows);
  if (state.chosen && rows.includes(state.chosen) && !first.includes(state.chosen)) first.push(state.chosen);
  const head = make("thead", {}, make("tr", {}, ...names.map(heading), make("th", { class: "text" }, "tasks of groups")));
  byId("table").replaceChildren(head, make("tbody", {}, ...first.map(tableRow)));
  const more = byId("more");
  more.hidden = rows.length <= state.rows;
  more.textContent = `Show all ${shown(rows.length)}`;
}

function heading(name) {
  const sorted = state.sort.by === name;
  const text = name === "id" ? "design" : name.replaceAll("_", " ");
  const sign = sorted ? (state.sort.down ? " ▼" : " ▲") : "";
  const button = make("button", { type: "button", "data-sort": name, on: { click: () => sortBy(name) } }, text + sign);
  return make("th", { scope: "col", "aria-sort": sorted ? (state.sort.down ? "descending" : "ascending") : "none" }, button);
}

function sortBy(name) {
  state.sort = { by: name, down: state.sort.by === name && !state.sort.down };
  renderTable();
  byId("table").querySelector(`[data-sort="${CSS.escape(name)}"]`).focus();
}

function tableRow(design) {
  const groups = design.groups.map((place) => data.groups[place].tasks.join(" ")).join(" | ");
  const row = make("tr", { "aria-selected": String(design === state.chosen), "data-id": design.id, on: { click: () => choose(design) } });
  row.append(make("td", {}, design.front ? design.id : `${design.id} (not on the front)`));
  row.append(...design.values.map((number) => make("td", {}, shown(number))), make("td", { class: "text" }, groups));
  return row;
}
