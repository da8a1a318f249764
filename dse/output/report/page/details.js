// All about the chosen design.
function renderDesign() {
  const holder = byId("design");
  const design = state.chosen;
  if (!design) {
    holder.replaceChildren(make("h2", { id: "design-heading" }, "No design keeps the filters"));
    return;
  }
  const room = holder.clientWidth - 32;
  const groups = design.groups.map((place) => data.groups[place]);
  const marks = [design.front ? "on the Pareto front" : "not on the front", design.id === data.knee ? "the knee" : null];
  holder.replaceChildren(
    make("h2", { id: "design-heading" }, `Design ${design.id}`),
    make("p", { class: "note" }, `${marks.filter(Boolean).join(", ")}; ${counted(groups.length, "group")}${verdict(design)}`),
    figuresList(design),
    part("Block diagram", "diagram", ...groups.flatMap((group, place) => [groupHeading(group, place), wholeArrays(group), diagram(group, room, design)])),
    ...(groups[0].ends ? mappedParts(design, groups, room) : []).filter(Boolean),
    part("Specification", "aol", ...specification(design)),
  );
}

function mappedParts(design, groups, room) {
  return [
    part("Timeline", "timeline", ...groups.flatMap((group, place) => [groupHeading(group, place), timeline(group, room)])),
    part("Where cycles go", "breakdown", ...cyclesParts(design, groups, room)),
    part("Where memory goes", "memory", memoryBars(groups, design.resident, room)),
    builtParts(design),
    part("Datapaths", "datapaths", ...datapaths(groups)),
    ...costParts(design, groups, room),
    design.energy ? part("Where energy goes", "energy", ...energyBars(design, room)) : null,
    design.resident.length ? part("Beside all groups", "resident", ...resident(design)) : null,
    part("Layout", "layout", ...layouts(groups)),
    part("Transfers", "transfers", ...choicesOf(design), ...transfers(groups)),
  ];
}

const part = (title, name, ...children) => make("section", { "data-part": name }, make("h3", {}, title), ...children);

function verdict(design) {
  if (design.verified === null) return design.verification ? `; ${design.verification}` : "";
  return design.verified ? `; verified: ${design.verification}` : "; the simulation disagrees";
}

function groupHeading(group, place) {
  const sides = group.blocks ? [group.blocks.outer, group.blocks.shape].map((each) => each.join(" x ")).filter(Boolean) : [];
  const scan = group.blocks ? `: blocks of ${sides.join(" in ") || "1"} in the order ${group.blocks.scan || "of one"}` : "";
  const extras = [group.recompute ? "overlaps computed again" : null].filter(Boolean);
  return make("h4", {}, `Group ${place + 1}: ${group.tasks.join(", ")}${scan}${extras.length ? `; ${extras.join(", ")}` : ""}`);
}

function wholeArrays(group) {
  const whole = Object.entries(group.whole ?? {});
  return whole.length ? make("p", { class: "note" }, `kept whole: ${whole.map(([name, size]) => `${name}, ${shown(size)} data`).join("; ")}`) : null;
}

function figuresList(design) {
  return make("dl", { class: "figures" }, ...data.figures.map((figure, place) =>
    make("div", { class: data.objectives.includes(figure.name) ? "chosen-objective" : null },
      make("dt", {}, figure.title + estimated(figure.name)), make("dd", {}, `${shown(design.values[place])} ${figure.unit}`))));
}

const share = (place) => `share-${place % 6}`;

// Horizontal bars of parts [[class, cycles, text]], one for each row [name, parts].
function stacks(rows, room) {
  const [left, right] = [Math.min(150, room * 0.34), 74];
  const most = Math.max(1, ...rows.map(([, parts]) => parts.reduce((sum, one) => sum + one[1], 0)));
  const width = Math.max(260, Math.min(room, 900));
  const scale = (width - left - right) / most;
  const svg = picture(width, rows.length * ROW + 6, "Bars");
  rows.forEach(([name, parts], row) => {
    let x = left;
    svg.append(titled(label(left - 8, ROW * row + 16, fitted(name, left - 10), { "text-anchor": "end" }), name));
    for (const [kind, amount, text] of parts) {
      if (amount) svg.append(titled(draw("rect", { class: kind, x, y: ROW * row + 3, width: Math.max(0.7, amount * scale), height: ROW - 6 }), text));
      x += amount * scale;
    }
    svg.append(label(x + 6, ROW * row + 16, compact(parts.reduce((sum, one) => sum + one[1], 0)), { class: "small" }));
  });
  return make("div", { class: "wide" }, svg);
}

function cyclesParts(design, groups, room) {
  const kind = (name) => (name === "loads" || name === "stores" ? name : "work");
  const rows = groups.map((group, place) => [`group ${place + 1}`,
    Object.entries(group.ends).map(([name, cycles]) => [kind(name), cycles, `${name} end steps of ${shown(cycles)} cycles`])]);
  const each = groups.flatMap((group) => group.processors.map((one) => [one.task, [
    ["work", one.computing, `${one.task} computes ${shown(one.computing)} cycles`],
    ["loads", one.waiting_for_loads, `waits for loads ${shown(one.waiting_for_loads)} cycles`],
    ["stores", one.waiting_for_stores, `waits for stores ${shown(one.waiting_for_stores)} cycles`],
    ["wait", one.waiting_for_neighbours, `waits for neighbours ${shown(one.waiting_for_neighbours)} cycles`]]]));
  const ends = make("table", {}, make("tbody", {}, ...endRows(groups)));
  return [
    make("p", { class: "note" }, `Most cycles: ${design.bottleneck}. By what ends the steps:`), legend([["loads", "loads"], ["stores", "stores"], ["processors", "work"]]),
    stacks(rows, room), ends,
    make("p", { class: "note" }, "Each processor, over its group's steps:"),
    legend([["computing", "work"], ["waiting for loads", "loads"], ["for stores", "stores"], ["for a neighbour", "wait"]]), stacks(each, room),
  ];
}

function endRows(groups) {
  const sums = new Map();
  for (const group of groups) for (const [name, cycles] of Object.entries(group.ends)) sums.set(name, (sums.get(name) ?? 0) + cycles);
  const whole = [...sums.values()].reduce((all, cycles) => all + cycles, 0);
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name, cycles]) =>
    make("tr", {}, make("td", {}, name), make("td", {}, `${counted(cycles, "cycle")}`), make("td", {}, percent(cycles, whole))));
}

function memoryBars(groups, resident, room) {
  const sizes = (memory) => [memory.data ? `${shown(memory.data)} data` : null, bitsText(memory.bits), memory.blocks === null ? null : counted(memory.blocks, "memory block"),
    memory.addressed ? `addresses in one bank take ${counted(memory.addressed, "word")}, ${shown(memory.live)} data are live at once` : null];
  const row = (memory, place) => [`${place}${memory.kind} ${memory.name}`, [[memory.kind, memory.bits, sizes(memory).filter(Boolean).join(", ")]]];
  const roms = groups.some((group) => group.memories.some((memory) => memory.kind === "rom"));  // as they are built
  const rows = [
    ...groups.flatMap((group, place) => group.memories.map((memory) => row(memory, groups.length > 1 ? `${place + 1}: ` : ""))),
    ...resident.filter((memory) => memory.bits && !(roms && memory.kind === "rom")).map((memory) => row(memory, "")),
  ];
  const memories = [...groups.flatMap((group) => group.memories), ...resident];
  const bits = (size) => bitsText(memories.reduce((sum, memory) => sum + memory[size] * memory.width, 0));
  const note = `Addresses in one bank of each take ${bits("addressed")} in all, and ${bits("live")} are live at once. Bits of each memory, as it is built:`;
  return rows.length ? make("div", {}, make("p", { class: "note" }, note), stacks(rows, room)) : make("p", { class: "note" }, "No local memory.");
}

// What memories are built of, where the report has it: of the knee and the best in each objective.
function builtParts(design) {
  const built = data.built[design.id];
  if (!built) return Object.keys(data.built).length ? part("What memories are built of", "built", make("p", { class: "note" },
    `In this report of the designs ${Object.keys(data.built).join(", ")}${laterText}; arrayol simulate tells it of each.`)) : null;
  const costs = ["blocks", "lut", "ff", "area"].filter((name) => built.totals[name]);
  const titles = { blocks: "blocks", lut: "LUT", ff: "FF", area: "um2" };
  const heads = ["memory", "organisation", "built of", ...costs.map((name) => titles[name])];
  const row = (one) => make("tr", {}, make("td", {}, `${one.group}: ${one.kind} ${one.name}`),
    make("td", { class: "text" }, one.organisation, make("div", { class: "note" }, one.sentences.join(" "))),
    make("td", { class: "text" }, one.built_of + (one.estimate ? " (estimate)" : "")), ...costs.map((name) => make("td", {}, shown(one[name]))));
  return part("What memories are built of", "built", make("p", { class: "note" }, `In all ${built.summary}.`),
    make("div", { class: "wide" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head, place) => make("th", place < 3 ? { class: "text" } : {}, head)))), make("tbody", {}, ...built.memories.map(row)))));
}

// Whether a processor starts repetitions more rarely than its datapath could.
const waits = (processor) => processor.occupancy > (tasksNow().least[processor.task] ?? Infinity);

const estimated = (name) => (data.estimates.includes(name) ? ` (estimate, ${data.technology})` : "");

// Each processor's units, and of one of them the figures with where they are from.
function datapaths(groups) {
  const rows = groups.flatMap((group) => group.processors.map((one) => {
    const path = pathOf.get(`${state.chosen.splits} ${one.task} ${one.occupancy}`);
    const from = (figure, text) => make("td", {}, text, make("div", { class: "note" }, path.origins[figure] ?? ""));
    const recurrences = Object.entries(path.recurrence).map(([delay, cycles]) => `${delay}: ${shown(cycles)}`);
    const costs = Object.entries(path.cost).map(([name, amount]) => `${shown(amount)} ${name}`);
    return make("tr", {}, make("td", {}, one.task), make("td", {}, shown(one.units)),
      from("interval", `every ${counted(one.occupancy, "cycle")}`), from("latency", counted(path.latency, "cycle")),
      recurrences.length ? from("recurrence", recurrences.join("; ")) : make("td", {}, "none"),
      costs.length ? make("td", {}, costs.join(", "), make("div", { class: "note" }, costOrigins(path))) : make("td", {}, "not given"),
      path.energy_pj === null ? make("td", {}, "not given") : from("energy_pj", `${shown(path.energy_pj)} pJ`));
  }));
  const names = ["processor", "units", "a unit starts", "latency", "recurrence", "cost of a unit", `energy of a repetition${estimated("energy_nj")}`];
  const head = make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {}, name))));
  return [make("div", { class: "wide" }, make("table", {}, head, make("tbody", {}, ...rows)))];
}

// Where costs are from: in a word, or name by name.
function costOrigins(path) {
  const found = Object.keys(path.cost).map((name) => [name, path.origins[`cost.${name}`]]);
  const words = new Set(found.map(([, origin]) => origin));
  return words.size === 1 ? [...words][0] : found.map(([name, origin]) => `${name} ${origin}`).join(", ");
}

// For each cost a bar of the processors' shares.
function costParts(design, groups, room) {
  const processors = groups.flatMap((group) => group.processors);
  const names = [...new Set(processors.flatMap((one) => Object.keys(one.costs)))];
  const rows = names.map((name) => [name, processors.map((one, place) =>
    [share(place), one.costs[name] ?? 0, `${one.task}: ${shown(one.costs[name] ?? 0)} ${name}${estimated(name)}`])]);
  const there = rows.filter(([, parts]) => parts.some(([, amount]) => amount));
  if (!there.length) return [];
  const tasks = processors.map((one, place) => [one.task, share(place)]);
  const notes = there.map(([name]) => [name, estimated(name)]).filter(([, text]) => text).map(([name, text]) => name + text);
  return [part("Where costs go", "costs", make("p", { class: "note" }, `By processor${notes.length ? `; ${notes.join(", ")}` : ""}:`),
    legend(tasks), ...there.map((row) => stacks([row], room)))];
}

function energyBars(design, room) {
  const parts = Object.entries(design.energy);
  const whole = parts.reduce((sum, [, amount]) => sum + amount, 0);
  const rows = parts.map(([name, amount]) => [name, [["work", amount, `${name}: ${shown(amount / 1000)} nJ, ${percent(amount, whole)}`]]]);
  return [make("p", { class: "note" }, `pJ of one frame${estimated("energy_nj")}, ${shown(whole / 1000)} nJ in all:`), stacks(rows, room)];
}

// What stands beside all groups: arrays that are loaded once, ROMs, locals.
const RESIDENT = {
  once: (one) => `${one.name} is loaded once, before the first frame: ${shown(one.addressed)} data, ${bitsText(one.addressed * one.width)}`,
  rom: (one) => `${one.name} is in ${counted(one.banks, "ROM")}, one for each processor that reads it: ${bitsText(one.bits)}`,
  local: (one) => `the locals of ${one.name} are registers of ${counted(one.banks, "unit")}: ${bitsText(one.bits)}`,
};

function resident(design) {
  return [make("ul", {}, ...design.resident.map((one) => make("li", {}, RESIDENT[one.kind](one))))];
}

function layouts(groups) {
  const rows = groups.flatMap((group, place) => group.memories.filter((memory) => memory.kind === "buffer").map((memory) => {
    const chosen = group.layouts.find((one) => one.array === memory.name);
    return make("tr", {}, make("td", {}, `group ${place + 1}: ${memory.name}`), make("td", {}, counted(memory.banks, "bank")),
      make("td", { class: "text" }, chosen ? bankText(chosen) : "each pattern element in a bank of its own"));
  }));
  if (!rows.length) return [make("p", { class: "note" }, "No buffer.")];
  return [make("div", { class: "wide" }, make("table", {}, make("tbody", {}, ...rows)))];
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
      make("p", {}, `Policy ${group.policy}: ${POLICIES[group.policy]}. ${counted(group.traffic_bytes, "byte")} loaded and stored, ${shown(group.port_bytes)} in whole words; ` +
        `a processor waits at most ${counted(waits("waiting_for_loads"), "cycle")} for loads and ${shown(waits("waiting_for_stores"))} for stores.`),
      moved.length ? make("div", { class: "wide" }, make("table", {},
        make("thead", {}, make("tr", {}, make("th", {}, "array"), make("th", {}, "elements loaded"), make("th", {}, "stored"), make("th", {}, "of all"))),
        make("tbody", {}, ...moved.map(([name, loaded, stored]) => make("tr", {}, make("td", {}, name), make("td", {}, shown(loaded)), make("td", {}, shown(stored)), make("td", {}, ofAll(name, loaded + stored))))))) : null,
    ];
  });
}

function ofAll(name, moved) {
  const size = tasksNow().network?.arrays[name]?.shape.reduce((all, side) => all * (side ?? NaN), 1);
  return size ? percent(moved, size) : "";
}

function specification(design) {
  if (!design.steps) return [make("p", { class: "note" }, design.remark ? `No steps make a specification of it: ${design.remark}.` : `Its steps were not sought; this makes its specification: ${data.transform.replace("ID", design.id)}`)];
  const steps = design.steps.length ? design.steps.join("; ") : "as written";
  const text = design.aol ? `${design.aol.map((line) => data.lines[line]).join("\n")}\n` : null;
  return [make("p", {}, `Steps: ${steps}`), text ? make("pre", { tabindex: "0", "aria-label": "Specification of the design" }, text) : make("p", { class: "note" }, "Its text is not in this report; 'arrayol transform' makes it from these steps.")];
}
