// Designs side by side: figures with differences, mappings, memories, and what goes to which part.
const MOST_BESIDE = 8;

function compareAlso(design) {
  const there = state.compared.includes(design);
  if (!there && state.compared.length >= MOST_BESIDE) say(`${MOST_BESIDE} designs are the most side by side`);
  else {
    state.compared = there ? state.compared.filter((one) => one !== design) : [...state.compared, design];
    say(`${design.id} ${there ? "removed" : "added"}: ${counted(state.compared.length, "design")} side by side`);
  }
  renderComparison();
  renderChoice();
  markRows();
  markButton();
}

function renderComparison() {
  const holder = byId("comparison");
  const designs = state.compared;
  const title = make("h2", { id: "comparison-heading" }, "Side by side");
  if (designs.length < 2) {
    const alone = designs.length ? `${designs[0].id} is chosen. ` : "";
    holder.replaceChildren(title, note(`${alone}Tick two or more designs in the table, or press c at each in the plot.`));
    return;
  }
  const room = holder.clientWidth - 32;
  const against = designs.includes(state.against) ? state.against : designs[0];
  holder.replaceChildren(title, comparedWith(designs, against), figuresBeside(designs, against), ...partsBeside(designs, room), mappingsBeside(designs), memoriesBeside(designs));
  reachable(holder);
}

// Which design differences are to, and a button for each to leave.
function comparedWith(designs, against) {
  const turn = (event) => { state.against = designs.find((one) => one.id === event.target.value); renderComparison(); byId("against").focus(); };
  const select = make("select", { id: "against", on: { change: turn } }, ...designs.map((one) => make("option", { value: one.id }, one.id)));
  select.value = against.id;
  const holder = byId("comparison");
  const leave = (design) => make("button", { type: "button", "aria-label": `remove ${design.id} from the comparison`, on: { click: () => { compareAlso(design); holder.focus({ preventScroll: true }); } } }, `${design.id} ✕`);
  return make("div", { class: "controls" }, make("label", {}, "differences to ", select), ...designs.map(leave));
}

const named = (designs) => designs.map((one) => one.id + (one.id === data.knee ? " (knee)" : ""));

function figuresBeside(designs, against) {
  const differ = (figure) => new Set(designs.map((one) => one.values[figure.place])).size > 1;
  const rows = ordered.filter(differ).map((figure) => {
    const finite = designs.map((one) => one.values[figure.place]).filter((one) => one !== null);
    const best = figure.more ? Math.max(...finite) : Math.min(...finite);
    return [nameOf(figure) + estimated(figure.name), ...designs.map((one) => figureCell(one, against, figure, best))];
  });
  const equal = ordered.filter((figure) => !differ(figure)).map((figure) => `${nameOf(figure)} ${figureText(designs[0], figure)}`);
  return make("section", { "data-part": "beside-figures" }, make("h3", {}, "Figures"),
    note("Bold: the best of a row. Below each figure: its difference from the design chosen above."),
    grid("Figures of the designs side by side", ["figure", ...named(designs)], rows), ...equalNote(equal));
}

// What is the same in all designs side by side, in a line.
const equalNote = (texts) => (texts.length ? [note(`The same in all: ${texts.join(", ")}.`)] : []);

const allEqual = (values) => new Set(values.map((one) => JSON.stringify(one))).size === 1;

function figureCell(design, against, figure, best) {
  const [found, other] = [design.values[figure.place], against.values[figure.place]];
  const text = figureText(design, figure);
  const marked = found === best ? make("strong", {}, text, make("span", { class: "unseen" }, " best")) : text;
  return design === against ? [marked] : [marked, make("div", { class: "note" }, difference(found, other))];
}

function difference(found, other) {
  if (found === other) return "same";
  if (found === null || other === null) return "";
  const by = found - other;
  const relative = other ? `${by > 0 ? "+" : "\u2212"}${shown(Math.round(Math.abs((1000 * by) / other)) / 10)}%` : "";
  return relative || `${by > 0 ? "+" : "\u2212"}${shown(Math.abs(by))}`;
}

function partsBeside(designs, room) {
  const columns = (of) => designs.map((one) => [one.id, of(one)]);
  const costs = [...new Set(designs.flatMap((one) => Object.keys(costsOf(one))))];
  const parts = costs.map((name) => [`Area: ${costTitle(name)}`, name, columns((one) => costsOf(one)[name] ?? {})]);
  if (designs.some((one) => one.energy)) parts.push([`Energy of a frame${estimated("energy_nj")}`, "pJ", columns((one) => one.energy ?? {})]);
  parts.push(["Cycles by what ends the steps", "cycles", columns(endsOf)], ["Bits of memory", "bits", columns(bitsOf)]);
  const there = parts.filter(([, , found]) => !allEqual(found.map(([, amounts]) => amounts)));
  return there.map(([title, unit, found]) => make("section", { "data-part": "beside-parts" }, make("h3", {}, title), ...byPart(title, unit, found, room)));
}

// A line of text for each of several facts.
const lines = (texts) => texts.map((text) => make("div", {}, text));

function mappingsBeside(designs) {
  const most = Math.max(...designs.map((one) => one.groups.length));
  const places = [...Array(most).keys()];
  const same = (place) => allEqual(designs.map((one) => groupText(groupsOf(one)[place])));
  const rows = places.filter((place) => !same(place)).map((place) => [`group ${place + 1}`, ...designs.map((one) => lines(groupText(groupsOf(one)[place])))]);
  const loads = !allEqual(designs.map((one) => [one.loads, one.splits])) ? [["arrays and sums", ...designs.map((one) => choicesOf(one))]] : [];
  return make("section", { "data-part": "beside-mappings" }, make("h3", {}, "Mappings and schedules"),
    grid("Mappings of the designs side by side", ["group", ...named(designs)], [...rows, ...loads], designs.map((_, place) => place + 1)), ...equalNote(places.filter(same).map((place) => `group ${place + 1}`)));
}

function groupText(group) {
  if (!group) return ["no such group"];
  const units = group.processors.map((one) => `${one.task} x ${shown(one.units)}${one.occupancy ? ` @ ${shown(one.occupancy)}` : ""}`);
  const sides = group.blocks ? [group.blocks.outer, group.blocks.shape].map((each) => each.join(" x ")).filter(Boolean).join(" in ") || "1" : "";
  return [
    units.join(", "), group.blocks ? `blocks of ${sides}${group.blocks.scan ? `, scan ${group.blocks.scan}` : ""}` : null,
    group.stream ? `stream, a pace of ${group.stream.pace}, starts for ${group.stream.starts_for}, ${portOf(group.stream)}` : null,
    group.steps === undefined ? null : `${counted(group.steps, "step")}, ${counted(group.latency_cycles, "cycle")}`,
    group.policy && !group.stream ? `policy ${group.policy}${group.fifos.length ? `, FIFOs of ${group.fifos.join(", ")}` : ""}${group.recompute ? ", overlaps computed again" : ""}` : null,
  ].filter(Boolean);
}

function memoriesBeside(designs) {
  const found = designs.map((one) => {
    const texts = new Map();
    for (const [memory, group] of memoriesOf(one)) {
      const name = `${memory.kind} ${memory.name}`;
      const size = memory.data ? `${shown(memory.data)} elements, ${counted(memory.banks, "bank")}` : bitsText(memory.bits);
      texts.set(name, [...(texts.get(name) ?? []), `${one.groups.length > 1 && group ? `group ${group}: ` : ""}${size}`]);
    }
    return texts;
  });
  const names = [...new Set(found.flatMap((texts) => [...texts.keys()]))];
  if (!names.length) return "";
  const same = (name) => allEqual(found.map((texts) => texts.get(name) ?? null));
  const rows = names.filter((name) => !same(name)).map((name) => [name, ...found.map((texts) => lines(texts.get(name) ?? ["none"]))]);
  return make("section", { "data-part": "beside-memories" }, make("h3", {}, "Memories"),
    grid("Memories of the designs side by side", ["memory", ...named(designs)], rows, designs.map((_, place) => place + 1)), ...equalNote(names.filter(same)));
}
