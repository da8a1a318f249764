// The sorted table of designs, a page of rows at a time.
const ROWS = 100;

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

// All of it anew, at the page of the chosen design.
function renderTable() {
  state.rows = sortedDesigns();
  state.page = pageOf(state.chosen);
  renderRows();
}

const pageOf = (design) => Math.floor(Math.max(0, state.rows.indexOf(design)) / ROWS);

// The columns: what differs between designs, and the objectives; main figures come first.
const differs = (figure) => data.designs.some((one) => one.values[figure.place] !== data.designs[0].values[figure.place]);
const ordered = [...headline, ...data.figures.map(({ name }) => figureOf.get(name)).filter((figure) => !headline.includes(figure))];
const columns = ordered.filter((figure) => data.designs.length === 1 ? headline.includes(figure) : differs(figure) || objectives.has(figure.name));
const equalColumns = data.designs.length > 1 ? ordered.filter((figure) => !columns.includes(figure)) : [];

function renderRows() {
  const names = ["id", ...columns.map((figure) => figure.name)];
  const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "compare"), ...names.map(heading), make("th", { class: "text", scope: "col" }, "tasks of groups")));
  const first = state.page * ROWS;
  const rows = state.rows.slice(first, first + ROWS);
  byId("table").replaceChildren(make("caption", { class: "unseen" }, "Designs, by figures"), head, make("tbody", {}, ...rows.map(tableRow)));
  byId("equal").hidden = !equalColumns.length;
  if (equalColumns.length) byId("equal").textContent = `The same in all designs: ${equalColumns.map((figure) => `${nameOf(figure)} ${figureText(data.designs[0], figure)}`).join(", ")}.`;
  byId("pages").hidden = state.rows.length <= ROWS;
  byId("rows").textContent = `rows ${shown(first + 1)} to ${shown(first + rows.length)} of ${shown(state.rows.length)}`;
  byId("before").disabled = state.page === 0;
  byId("after").disabled = first + ROWS >= state.rows.length;
}

function turnPage(by) {
  state.page += by;
  renderRows();
  byId("table").parentElement.scrollTop = 0;
}

// Turn to the page of the chosen design; rows that are there stay as they are.
function showRow() {
  if (state.rows.includes(state.chosen) && pageOf(state.chosen) !== state.page) {
    state.page = pageOf(state.chosen);
    renderRows();
  }
  markRows();
}

// Mark the chosen design and those side by side.
function markRows() {
  for (const row of byId("table").tBodies[0].rows) {
    if (row.dataset.id === state.chosen?.id) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    row.querySelector("input").checked = state.compared.some((one) => one.id === row.dataset.id);
  }
}

function heading(name) {
  const sorted = state.sort.by === name;
  const text = name === "id" ? "design" : nameOf(figureOf.get(name));
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
  const pick = (event) => { if (!event.target.closest("input")) choose(design); };
  const row = make("tr", { "aria-current": design === state.chosen ? "true" : null, "data-id": design.id, on: { click: pick } });
  const box = make("input", { type: "checkbox", "aria-label": `compare ${design.id}`, on: { change: () => compareAlso(design) } });
  box.checked = state.compared.includes(design);
  const name = make("button", { type: "button", class: "name" }, design.id);
  row.append(make("td", {}, box), make("th", { scope: "row" }, name, design.front ? "" : " (not on the front)"));
  row.append(...columns.map((figure) => make("td", {}, figureText(design, figure))), make("td", { class: "text" }, groups));
  return row;
}
