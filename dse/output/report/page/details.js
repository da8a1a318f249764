// All about the chosen design.
function renderDesign() {
  const holder = byId("design");
  const design = state.chosen;
  if (!design) {
    holder.replaceChildren(make("h2", { id: "design-heading" }, "No design passes the filters"));
    return;
  }
  byId("to-design").textContent = `Design ${design.id}`;
  const room = holder.clientWidth - 32;
  const groups = groupsOf(design);
  const marks = [design.front ? "on the Pareto front" : "not on the front", design.id === data.knee ? "the knee" : null];
  holder.replaceChildren(
    make("h2", { id: "design-heading" }, `Design ${design.id}`),
    note(`${marks.filter(Boolean).join(", ")}; ${counted(groups.length, "group")}${verdict(design)}`),
    make("button", { type: "button", id: "beside", on: { click: () => compareAlso(design) } }),
    part("Block diagram", "diagram", groups[0].ends ? note([...new Set(groups.map(readingOf))].join(" ")) : null, ...groups.flatMap((group, place) => [groupHeading(group, place), wholeArrays(group), diagram(group, room, design)])),
    ...[morePart(design)].filter(Boolean),
    part("All figures", "figures", figuresList(design)),
    ...(groups[0].ends ? mappedParts(design, groups, room) : []).filter(Boolean),
    part("Specification", "aol", ...specification(design)),
  );
  markButton();
  reachable(holder);
}

const READING = "Each group of tasks runs block by block; its scan lists the dimensions that the blocks walk along, outermost first. \"2 units @ 3\" start a repetition every third cycle each.";

const STREAMING = "A stream starts a repetition of each task every few pulses; data wait in line buffers.";

const readingOf = (group) => (group.stream ? STREAMING : READING);

// The button that puts the chosen design side by side with others.
function markButton() {
  if (!byId("beside")) return;
  const there = state.compared.includes(state.chosen);
  byId("beside").setAttribute("aria-pressed", String(there));
  byId("beside").textContent = there ? "Side by side with others" : "Put side by side with others";
}

function mappedParts(design, groups, room) {
  return [
    design.period ? part("Groups at the same time", "period", ...periodParts(design.period, groups)) : null,
    part("Timeline", "timeline", ...(design.period ? [note("Of each group by itself, without waits for a port that serves another group:")] : []), ...groups.flatMap((group, place) => [groupHeading(group, place), timeline(group, room)])),
    part("Where cycles go", "breakdown", ...cyclesParts(design, groups, room)),
    part("Where memory goes", "memory", memoryBars(design, room)),
    built(design),
    part("Datapaths", "datapaths", ...datapaths(groups)),
    areaPart(design, room),
    design.energy ? part("Where energy goes", "energy", ...energyBars(design, room)) : null,
    design.resident.length ? part("Outside the groups", "resident", ...resident(design)) : null,
    part("Layout", "layout", ...layouts(groups)),
    part("Transfers", "transfers", ...choicesOf(design), ...transfers(groups)),
    verilogPart(design),
  ];
}

// From frame to frame: what each group takes of a period by itself, and how often arrays lie outside.
function periodParts(period, groups) {
  const copies = Object.entries(period.copies).map(([name, number]) => `${name} ${number}`).join(", ");
  const names = ["group", "cycles by itself", "of the period", "cycles at the port"];
  const rows = groups.map((group, place) => [
    `${place + 1}: ${group.tasks.join(", ")}`, shown(group.latency_cycles), `${Math.round((100 * group.latency_cycles) / period.cycles)}%`, shown(period.port_cycles[place])]);
  return [
    note(`Each group works on another frame. The time from frame to frame is ${counted(period.cycles, "cycle")}, in which all groups end however they wait for the port.`),
    grid("Groups in a period", names, rows),
    note(`Copies of arrays outside, one for each frame in use: ${copies}.`),
  ];
}

const part = (title, name, ...children) => make("section", { "data-part": name }, make("h3", {}, title), ...children);

function verdict(design) {
  if (design.verified === null) return design.verification ? `; ${design.verification}` : "";
  return design.verified ? `; verified: ${design.verification}` : "; the simulation disagrees";
}

function groupHeading(group, place) {
  const sides = group.blocks ? [group.blocks.outer, group.blocks.shape].map((each) => each.join(" x ")).filter(Boolean) : [];
  const stream = group.stream ? `: stream, a pace of ${group.stream.pace}, ${portOf(group.stream)}` : "";
  const scan = group.blocks ? `: blocks of ${sides.join(" in ") || "1"}${group.blocks.scan ? `, scan ${group.blocks.scan}` : ""}` : "";
  const extras = [group.recompute ? "overlaps computed again" : null].filter(Boolean);
  return make("h4", {}, `Group ${place + 1}: ${group.tasks.join(", ")}${scan}${stream}${extras.length ? `; ${extras.join(", ")}` : ""}`);
}

function wholeArrays(group) {
  const whole = Object.entries(group.whole ?? {});
  return whole.length ? note(`kept whole: ${whole.map(([name, size]) => `${name}, ${shown(size)} elements`).join("; ")}`) : null;
}

function figuresList(design) {
  return make("dl", { class: "figures" }, ...data.figures.map((figure, place) =>
    make("div", { class: data.objectives.includes(figure.name) ? "chosen-objective" : null },
      make("dt", {}, figure.title + estimated(figure.name)), make("dd", {}, `${shown(design.values[place])} ${figure.unit}`.trimEnd()))));
}

function cyclesParts(design, groups, room) {
  const each = groups.flatMap((group) => group.processors.map((one) => [one.task, [
    ["work", one.computing, `${one.task} computes ${shown(one.computing)} cycles`],
    ["loads", one.waiting_for_loads, `waits for loads ${shown(one.waiting_for_loads)} cycles`],
    ["stores", one.waiting_for_stores, `waits for stores ${shown(one.waiting_for_stores)} cycles`],
    ["wait", one.waiting_for_neighbours, `waits for neighbours ${shown(one.waiting_for_neighbours)} cycles`]]]));
  const ranked = Object.fromEntries(Object.entries(endsOf(design)).sort((a, b) => b[1] - a[1]));
  return [
    note(`Most cycles: ${design.bottleneck}. By what ends the steps:`), ...byPart("Cycles by what ends the steps", "cycles", [[design.id, ranked]], room),
    note("Each processor, over its group's steps:"),
    legend([["computing", "work"], ["waiting for loads", "loads"], ["for stores", "stores"], ["for a neighbour", "wait"]]), stacks(each, room, "Cycles of each processor"),
  ];
}

function memoryBars(design, room) {
  const sizes = (memory) => [memory.data ? `${shown(memory.data)} elements` : null, bitsText(memory.bits), memory.blocks === null ? null : counted(memory.blocks, "memory block"),
    memory.addressed ? `as one bank ${counted(memory.addressed, "word")}, of which ${shown(memory.live)} are live at once` : null];
  const place = (group) => (group && design.groups.length > 1 ? `${group}: ` : "");
  const rows = memoriesOf(design).filter(([memory]) => memory.bits).map(([memory, group]) => [`${place(group)}${memory.kind} ${memory.name}`, [[memory.kind, memory.bits, sizes(memory).filter(Boolean).join(", ")]]]);
  const memories = [...groupsOf(design).flatMap((group) => group.memories), ...design.resident];
  const bits = (size) => bitsText(sum(memories.map((memory) => memory[size] * memory.width)));
  const text = `At most ${bits("live")} of data are live at once; as one bank each, the memories would take ${bits("addressed")}. Bits of each memory as built:`;
  return rows.length ? make("div", {}, note(text), stacks(rows, room, "Bits of each memory")) : note("No local memory.");
}

// Whether a processor starts repetitions more rarely than its datapath could.
const waits = (processor) => processor.occupancy > (tasksNow().least[processor.task] ?? Infinity);

const estimated = (name) => (data.estimates.includes(name) ? ` (estimate, ${data.technology})` : "");

// Each processor's units, and of one of them the figures with where they are from.
function datapaths(groups) {
  const rows = groups.flatMap((group) => group.processors.map((one) => {
    const path = pathOf.get(`${state.chosen.splits} ${one.task} ${one.occupancy}`);
    const from = (figure, text) => [text, make("div", { class: "note" }, path.origins[figure] ?? "")];
    const recurrences = Object.entries(path.recurrence).map(([delay, cycles]) => `${delay}: ${shown(cycles)}`);
    const costs = Object.entries(path.cost).map(([name, amount]) => `${shown(amount)} ${name}`);
    return [one.task, shown(one.units),
      from("interval", `every ${counted(one.occupancy, "cycle")}`), from("latency", counted(path.latency, "cycle")),
      recurrences.length ? from("recurrence", recurrences.join("; ")) : "none",
      costs.length ? [costs.join(", "), make("div", { class: "note" }, costOrigins(path))] : "not given",
      path.energy_pj === null ? "not given" : from("energy_pj", `${shown(path.energy_pj)} pJ`)];
  }));
  const names = ["processor", "units", "a unit starts", "latency", "recurrence", "cost of a unit", `energy of a repetition${estimated("energy_nj")}`];
  return [grid("Datapaths: a unit of each processor", names, rows)];
}

// Where costs are from: in a word, or name by name.
function costOrigins(path) {
  const found = Object.keys(path.cost).map((name) => [name, path.origins[`cost.${name}`]]);
  const words = new Set(found.map(([, origin]) => origin));
  return words.size === 1 ? [...words][0] : found.map(([name, origin]) => `${name} ${origin}`).join(", ");
}

// For each cost a bar of the shares of processors and local memories.
function areaPart(design, room) {
  const costs = Object.entries(costsOf(design));
  return costs.length ? part("Where area goes", "costs", ...costs.flatMap(([name, amounts]) =>
    [make("h4", {}, costTitle(name)), ...byPart(`Area: ${costTitle(name)}`, name, [[design.id, amounts]], room)])) : null;
}

function energyBars(design, room) {
  const parts = Object.entries(design.energy);
  const whole = parts.reduce((sum, [, amount]) => sum + amount, 0);
  const rows = parts.map(([name, amount]) => [name, [["work", amount, `${name}: ${shown(amount / 1000)} nJ, ${percent(amount, whole)}`]]]);
  return [note(`pJ of one frame${estimated("energy_nj")}, ${shown(whole / 1000)} nJ in all:`), stacks(rows, room, "Energy of a frame by part")];
}

// A cost as the figures name it.
const costTitle = (name) => `${figureOf.has(name) ? titleOf(figureOf.get(name)) : name}${estimated(name)}`;

// What stands beside all groups: arrays that are loaded once, ROMs, locals.
const RESIDENT = {
  once: (one) => `${one.name} is loaded once, before the first frame: ${shown(one.addressed)} elements, ${bitsText(one.addressed * one.width)}`,
  rom: (one) => `${one.name} is in ${counted(one.banks, "ROM")}, one for each processor that reads it: ${bitsText(one.bits)}`,
  local: (one) => `the locals of ${one.name} are registers of ${counted(one.banks, "unit")}: ${bitsText(one.bits)}`,
};

function resident(design) {
  return [make("ul", {}, ...design.resident.map((one) => make("li", {}, RESIDENT[one.kind](one))))];
}

function layouts(groups) {
  const usual = data.technology ? "as its memory is built" : "each pattern element in a bank of its own";
  const rows = groups.flatMap((group, place) => group.memories.filter((memory) => memory.kind === "buffer").map((memory) => {
    const chosen = group.layouts.find((one) => one.array === memory.name);
    return [`group ${place + 1}: ${memory.name}`, counted(memory.banks, "bank"), chosen ? bankText(chosen) : memory.banks === 1 ? "the only one" : usual];
  }));
  if (!rows.length) return [note(groups.every((group) => group.stream) ? "A stream has line buffers in place of buffers." : "No buffer.")];
  return [grid("Bank layout of each buffer", ["buffer", "banks", "bank of a datum"], rows, [2])];
}

function bankText({ vector, block, banks }) {
  const terms = vector.map((factor, place) => [factor, place]).filter(([factor]) => factor)
    .map(([factor, place]) => `${factor === 1 ? "" : `${factor} `}x${place}`).join(" + ") || "0";
  return `bank = ${block === 1 ? `(${terms})` : `floor((${terms}) / ${block})`} mod ${banks}`;
}

const POLICIES = { reuse: "each element once, kept until its last use", strip: "once for each strip that reads it", whole: "once for each strip, at its start", tile: "for each block that reads it" };

const LOADS = { frame: "loaded with each frame", once: "loaded once, before the first frame", rom: "in ROMs" };

// How arrays come of which the study says it, and how sums are split.
function choicesOf(design) {
  const chosen = Object.entries(design.loads).map(([name, load]) => `${name} is ${LOADS[load]}`);
  if (design.splits) chosen.push(`sums: ${design.splits}`);
  return chosen.length ? [make("p", {}, `${chosen.join("; ")}.`)] : [];
}

function transfers(groups) {
  return groups.flatMap((group, place) => {
    const waits = (name) => group.processors.reduce((most, one) => Math.max(most, one[name]), 0);
    const moved = group.timeline?.moved ?? [];
    return [
      make("h4", {}, `Group ${place + 1}: ${group.tasks.join(", ")}`),
      make("p", {}, `${group.stream ? "Each element comes and goes once" : `Policy ${group.policy}: ${POLICIES[group.policy]}`}. ${counted(group.traffic_bytes, "byte")} loaded and stored, ${shown(group.port_bytes)} in whole words; ` +
        `a processor waits at most ${counted(waits("waiting_for_loads"), "cycle")} for loads and ${shown(waits("waiting_for_stores"))} for stores.`),
      moved.length ? grid(`Transfers of group ${place + 1}`, ["array", "elements loaded", "elements stored", "share of the array"],
        moved.map(([name, loaded, stored]) => [name, shown(loaded), shown(stored), ofAll(name, loaded + stored)])) : null,
    ];
  });
}

function ofAll(name, moved) {
  const size = tasksNow().network?.arrays[name]?.shape.reduce((all, side) => all * (side ?? NaN), 1);
  return size ? percent(moved, size) : "";
}

function specification(design) {
  if (!design.steps) return [note(design.remark ? `No transformation steps produce this design: ${design.remark}.` : `Its transformation steps are not in the result; this command writes its specification: ${data.transform.replace("ID", design.id)}`)];
  const steps = design.steps.length ? design.steps.join("; ") : "as written";
  const text = design.aol ? `${design.aol.map((line) => data.lines[line]).join("\n")}\n` : null;
  return [make("p", {}, `Steps: ${steps}`), text ? make("pre", { tabindex: "0", "aria-label": "Specification of the design" }, text) : note("The text is not in this report; 'arrayol transform' makes it with these steps.")];
}
