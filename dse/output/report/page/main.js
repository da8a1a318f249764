// Choices and what follows from them.
function choose(design) {
  state.chosen = design;
  byId("missing").hidden = true;
  history.replaceState(null, "", design ? `#${encodeURIComponent(design.id)}` : "#");
  renderHeadline();
  renderChoice();
  showRow();
  renderDesign();
  if (design) say(`Design ${design.id}: ${data.objectives.map((name) => `${shown(value(design, name))} ${figureOf.get(name).unit || figureOf.get(name).title}`).join(", ")}${design.id === data.knee ? ", the knee" : ""}`);
  const row = byId("table").querySelector('tr[aria-current="true"]');
  const box = byId("table").parentElement;
  if (row && !row.contains(document.activeElement)) box.scrollTop = Math.max(0, row.offsetTop - box.clientHeight / 2);
}

// The design that the address asks for: { found }, { missing } where this report lacks it, {} where none is named.
function addressed() {
  const fragment = location.hash.slice(1);
  if (!fragment) return {};
  const found = data.designs.find((one) => encodeURIComponent(one.id) === fragment || one.id === fragment);
  return found ? { found } : { missing: decoded(fragment) };
}

function decoded(fragment) {
  try { return decodeURIComponent(fragment); } catch { return fragment; }
}

// Show what the address asks for, else the knee at first and later what is shown already; filters that hide it go.
function followAddress() {
  const { found, missing } = addressed();
  state.chosen = found ?? state.chosen ?? data.designs.find((one) => one.id === data.knee) ?? data.designs[0] ?? null;
  if (found && !keeps(found)) state.filters = [];
  filtered();
  const instead = state.chosen ? `; this is ${state.chosen.id}` : "";
  byId("missing").hidden = missing === undefined;
  byId("missing").textContent = missing === undefined ? "" : `Design ${missing}, which the address asks for, is not in this report${instead}.`;
}

// Designs from left to right in the plot.
function across() {
  return visible().sort((a, b) => (value(a, state.x) ?? Infinity) - (value(b, state.x) ?? Infinity) || (value(a, state.y) ?? Infinity) - (value(b, state.y) ?? Infinity));
}

function move(key) {
  const designs = across();
  const place = designs.indexOf(state.chosen);
  const steps = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1, Home: 0, End: designs.length - 1 };
  if (designs.length) choose(designs[Math.min(designs.length - 1, Math.max(0, steps[key]))]);
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, pre")) return;
  const inside = event.target.closest("#scatter, .scroll") !== null; // elsewhere these keys scroll the page
  if (["ArrowRight", "ArrowLeft"].includes(event.key) || (inside && ["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key))) move(event.key);
  else if (event.key === "Escape" && state.zoom) zoomTo(null);
  else if (event.key === "c" && state.chosen) compareAlso(state.chosen);
  else if (event.key === "+" || event.key === "-") zoomBy(event.key === "+" ? 0.5 : 2);
  else if (event.key === "[" || event.key === "]") nextFigure(event.key === "]" ? 1 : -1);
  else return;
  event.preventDefault();
}

function nextFigure(by) {
  const names = data.figures.map((figure) => figure.name);
  setAxis("x", names[(names.indexOf(state.x) + by + names.length) % names.length]);
}

function setAxis(which, name) {
  state[which] = name;
  state.zoom = null;
  byId(which).value = name;
  renderScatter();
}

function addFilter(event) {
  event.preventDefault();
  const field = byId("bound");
  const bound = Number(field.value.replaceAll(",", "").replaceAll("_", "").trim() || NaN);
  field.setCustomValidity(Number.isFinite(bound) ? "" : "a number, such as 1e6");
  if (!field.reportValidity()) return;
  state.filters.push({ figure: byId("bounded").value, relation: byId("relation").value, bound });
  field.value = "";
  filtered();
}

function filtered() {
  byId("filters").replaceChildren(...state.filters.map((one, place) => {
    const text = `${one.figure} ${one.relation} ${shown(one.bound)}`;
    const remove = () => { state.filters.splice(place, 1); filtered(); };
    return make("span", { role: "listitem" }, make("button", { type: "button", "aria-label": `remove the filter ${text}`, on: { click: remove } }, `${text} ✕`));
  }));
  const found = visible();
  renderScatter();
  renderTable();
  byId("count").textContent = `${shown(found.length)} of ${counted(data.designs.length, "design")}, ${shown(found.filter((one) => one.front).length)} on the front of ${data.objectives.map((name) => figureOf.get(name).title).join(", ")}`;
  choose(found.includes(state.chosen) ? state.chosen : (across().find((one) => one.front) ?? found[0] ?? null));
}

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  for (const button of byId("theme").children) button.setAttribute("aria-pressed", String(button.dataset.name === name));
}

function start() {
  byId("title").textContent = `${data.top}: ${counted(data.front, "design")} on the Pareto front`;
  byId("theme").append(...["auto", "light", "dark"].map((name) => make("button", { type: "button", "data-name": name, on: { click: () => setTheme(name) } }, name)));
  setTheme("auto");
  document.body.append(hatches());
  byId("remarks").hidden = !data.remarks.length;
  byId("remarks").append(...data.remarks.map((text) => make("li", {}, text)));
  byId("facts").append(...data.facts.flatMap(([word, text]) => [make("dt", {}, word), make("dd", {}, text)]));
  for (const id of ["x", "y", "bounded"]) byId(id).append(...data.figures.map((figure) => make("option", { value: figure.name }, titleOf(figure))));
  const others = data.figures.map((figure) => figure.name).filter((name) => name !== data.objectives[0]);
  state.x = data.objectives[0];
  state.y = data.objectives[1] ?? others[0] ?? state.x;
  byId("x").value = state.x;
  byId("y").value = state.y;
  byId("x").addEventListener("change", () => setAxis("x", byId("x").value));
  byId("y").addEventListener("change", () => setAxis("y", byId("y").value));
  byId("whole").addEventListener("click", () => zoomTo(null));
  byId("filter").addEventListener("submit", addFilter);
  byId("bound").addEventListener("input", () => byId("bound").setCustomValidity(""));
  byId("before").addEventListener("click", () => turnPage(-1));
  byId("after").addEventListener("click", () => turnPage(1));
  for (const link of document.querySelectorAll("[data-to]")) link.addEventListener("click", (event) => { event.preventDefault(); byId(link.dataset.to).focus({ preventScroll: true }); byId(link.dataset.to).scrollIntoView(); });
  let printing = false; // a page of paper has another width, for which nothing is made anew
  addEventListener("afterprint", () => { printing = false; });
  addEventListener("beforeprint", () => { printing = true; for (const box of document.querySelectorAll("details.steps")) { box.open = true; box.fill(); } });
  document.addEventListener("keydown", onKey);
  state.sort = { by: inUnits(data.objectives[0]), down: figureOf.get(inUnits(data.objectives[0])).more };
  state.compared = data.best.map((id) => data.designs.find((one) => one.id === id));
  followAddress();
  renderComparison();
  addEventListener("hashchange", followAddress);
  byId("scatter").focus({ preventScroll: true, focusVisible: false });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width && !printing) { width = innerWidth; renderScatter(); renderComparison(); renderDesign(); } });
}

start();
