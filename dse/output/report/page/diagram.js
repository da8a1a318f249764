// A group as blocks: external memory, buffers, FIFOs, processors and the state of delays, in layers along the dataflow.
const EDGE = 18; // around the boxes; links to the next row of layers run there
const BOX = { height: 58, along: 34, across: 16 };
const WIDTHS = { least: 104, most: 230 };

function diagram(group, room, design) {
  const nodes = layered(nodesOf(group, design));
  const vertical = room < 620;
  const width = boxWidth(nodes);
  for (const node of nodes) node.width = width;
  const pitch = vertical
    ? { along: BOX.height + 40, across: width + BOX.across }
    : { along: width + BOX.along, across: BOX.height + BOX.across };
  const layers = Math.max(...nodes.map((node) => node.layer)) + 1;
  const most = vertical ? layers : Math.max(2, Math.min(layers, Math.floor((room - EDGE) / pitch.along)));
  const inRow = Math.ceil(layers / Math.ceil(layers / most)); // rows of about equal length
  const inLayer = (layer) => nodes.filter((node) => node.layer === layer).length;
  const high = [...Array(Math.ceil(layers / inRow)).keys()].map((row) => Math.max(...nodes.filter((node) => Math.floor(node.layer / inRow) === row).map((node) => node.place + 1)));
  const tops = high.map((_, row) => sum(high.slice(0, row)) * pitch.across + row * 2 * EDGE);
  for (const node of nodes) {
    node.row = Math.floor(node.layer / inRow);
    const [a, b] = [(node.layer % inRow) * pitch.along + EDGE, tops[node.row] + (node.place + (high[node.row] - inLayer(node.layer)) / 2) * pitch.across + 8];
    [node.x, node.y] = vertical ? [b, a] : [a, b];
  }
  const [along, across] = [inRow * pitch.along + EDGE, tops.at(-1) + high.at(-1) * pitch.across + 8];
  const svg = picture(vertical ? across : along, vertical ? along : across, `Block diagram of ${group.tasks.join(", ")}. ${linksText(nodes)}`);
  let lanes = 0;
  for (const node of nodes)
    for (const from of node.from) svg.append(...(from.row === node.row ? link(from, node, vertical) : turn(from, node, tops[node.row], lanes++ % 5)));
  for (const node of nodes) svg.append(block(node));
  return wide("Block diagram", svg);
}

// All boxes are as wide as their longest line, by the pixels of letters.
function boxWidth(nodes) {
  const needed = nodes.flatMap((node) => node.lines.map((line, place) => line.length * (place ? LETTER : BOLD) + 18));
  return Math.min(WIDTHS.most, Math.max(WIDTHS.least, ...needed));
}

// What feeds what, for those who do not see the picture.
function linksText(nodes) {
  const fed = nodes.filter((node) => node.from.length).map((node) => `${node.lines.join(", ")}, from ${node.from.map((one) => one.lines[0]).join(" and ")}`);
  return fed.join("; ");
}

// Nodes {kind, lines, from: [nodes]} of a group; without the network the tasks stand in a row.
function nodesOf(group, { loads, resident }) {
  const memories = group.memories ?? [];
  const states = memories.filter((memory) => memory.kind === "state");
  const tasks = new Map(group.processors.map((one) => [one.task, taskNode(group, one, states, resident)]));
  const kept = new Map(memories.filter((memory) => ["buffer", "fifo"].includes(memory.kind)).map((memory) => [memory.name, memoryNode(group, memory)]));
  if (!tasksNow().network) return unlinked(tasks, kept);
  const [source, sink] = [externalNode("loads", group), externalNode("stores", group)];
  const array = (name) => {
    if (!kept.has(name) && isResident(name, loads)) kept.set(name, residentNode(name, resident));
    if (!kept.has(name)) kept.set(name, lineBufferNode(group, name) ?? { kind: "plain", lines: [name, arrayText(name)], from: [] });
    return kept.get(name);
  };
  for (const [name, node] of tasks) {
    const task = tasksNow().network.tasks[name];
    for (const read of task.reads) {
      node.from.push(array(read));
      if (comesFromOutside(read, tasks, loads) && !array(read).from.includes(source)) array(read).from.push(source);
    }
    for (const write of task.writes) {
      array(write).from.push(node);
      if (leaves(write, tasks)) sink.from.push(array(write));
    }
  }
  return [source, ...tasks.values(), ...kept.values(), sink];
}

function unlinked(tasks, kept) {
  let before = null;
  for (const node of tasks.values()) {
    if (before) node.after = before;
    before = node;
  }
  return [...tasks.values(), ...kept.values()];
}

const leaves = (name, tasks) => {
  const array = tasksNow().network.arrays[name];
  return array.output || array.readers.some((reader) => !tasks.has(reader));
};

// Whether a group loads an array: neither is it resident, nor do tasks of the group make all of it.
function comesFromOutside(name, tasks, loads) {
  const { producers } = tasksNow().network.arrays[name];
  return !isResident(name, loads) && !(producers.length && producers.every((one) => tasks.has(one)));
}

const isResident = (name, loads) => ["once", "rom"].includes(loads[name] ?? tasksNow().network.arrays[name].load);

// An array that is there in every frame: what it takes, or that a counter makes it.
function residentNode(name, resident) {
  const memory = resident.find((one) => one.kind !== "local" && one.name === name);
  if (!memory) return { kind: "rom", lines: [`counter ${name}`], from: [] };
  const word = memory.kind === "rom" ? "ROM" : "once";
  return { kind: memory.kind, lines: [`${word} ${name}`, memory.addressed ? `${shown(memory.addressed)} elements` : `in ${counted(memory.banks, "processor")}`, bitsText(memory.bits || memory.addressed * memory.width)], from: [] };
}

function taskNode(group, processor, states, resident) {
  const own = states.filter((memory) => memory.name.startsWith(`${processor.task}.`));
  const locals = resident.filter((memory) => memory.kind === "local" && memory.name === processor.task);
  const lines = [processor.task, `${counted(processor.units, "unit")}${waits(processor) ? ` @ ${shown(processor.occupancy)}` : ""}`];
  const every = processor.occupancy ? [`a repetition every ${counted(processor.occupancy, "cycle")} on a unit`] : [];
  if (processor.block_data) lines.push(`X_out ${shown(processor.block_data)} elements`);
  if (own.length) lines.push(`state ${counted(own.reduce((sum, memory) => sum + memory.data, 0), "element")}`);
  if (processor.cut) lines.push(`cut ${processor.cut.shape.join(" x ")}`);
  return { kind: "task", lines, from: [], state: own.length > 0, detail: [...every, ...own.map((memory) => `state of ${memory.name}: ${bitsText(memory.bits)}`), ...locals.map((one) => `locals: ${bitsText(one.bits)}`)] };
}

// The line buffers of an array that a load or a task of a single output hands on; null for all others.
function lineBufferNode(group, array) {
  const makers = group.tasks.filter((name) => tasksNow().network.tasks[name].writes.join() === array);
  const own = (group.memories ?? []).filter((memory) => memory.kind === "chain" && (memory.name === array || makers.some((task) => memory.name.startsWith(`${task}.`))));
  if (!own.length) return null;
  return { kind: "chain", lines: [array, `line buffers, ${counted(sum(own.map((one) => one.data)), "word")}`, bitsText(sum(own.map((one) => one.bits)))], from: [] };
}

function memoryNode(group, memory) {
  const word = memory.kind === "fifo" ? "FIFO" : "buffer";
  const banks = memory.kind === "fifo" ? "" : `, ${counted(memory.banks, "bank")}`;
  const lines = [`${word} ${memory.name}`, `${shown(memory.data)} elements${banks}`, bitsText(memory.bits)];
  return { kind: memory.kind, lines, from: [] };
}

// The port to the external memory; loads and stores of one frame are on two sides of the picture.
function externalNode(what, group) {
  if (group.stream?.interface === "axis") return { kind: "external", lines: ["AXI4-Streams", what], from: [] };
  const { port } = data;
  return { kind: "external", lines: ["memory port", port ? `${what}, ${port.word} a cycle` : what, ...(port?.shared ? ["shared by both"] : [])], from: [] };
}

function arrayText(name) {
  const array = tasksNow().network.arrays[name];
  return `${array.type}[${array.shape.map((side) => side ?? "*").join(", ")}]`;
}

// Each node one layer after the last of those it comes from, ROMs before the first that reads them; `place` counts
// inside a layer.
function layered(nodes) {
  const layer = (node) => {
    node.layer ??= Math.max(-1, ...node.from.map(layer), ...(node.after ? [layer(node.after)] : [])) + 1;
    return node.layer;
  };
  const filled = new Map();
  for (const node of nodes) layer(node);
  for (const node of nodes.filter((one) => ["rom", "once"].includes(one.kind) && !one.from.length))
    node.layer = Math.max(0, Math.min(...nodes.filter((one) => one.from.includes(node)).map((one) => one.layer)) - 1);
  for (const node of nodes) {
    node.place = filled.get(node.layer) ?? 0;
    filled.set(node.layer, node.place + 1);
  }
  return nodes;
}

function link(from, to, vertical) {
  const [x1, y1] = vertical ? [from.x + from.width / 2, from.y + BOX.height] : [from.x + from.width, from.y + BOX.height / 2];
  const [x2, y2] = vertical ? [to.x + to.width / 2, to.y] : [to.x, to.y + BOX.height / 2];
  const bend = vertical ? (y2 - y1) / 2 : (x2 - x1) / 2;
  const curve = vertical
    ? `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2 - 7}`
    : `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 7} ${y2}`;
  const tip = vertical ? `M${x2} ${y2}l-4 -8h8z` : `M${x2} ${y2}l-8 -4v8z`;
  return [draw("path", { class: "link", d: curve }), draw("path", { class: "arrow", d: tip })];
}

// To a row below: down to the space above that row, and back to its left; neighbours run in lanes beside each other.
function turn(from, to, top, lane) {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const path = `M${x1} ${y1}h${10 + 4 * lane}V${top - EDGE + 5 * lane}H${x2 - 9 - 2 * lane}V${y2}H${x2 - 7}`;
  return [draw("path", { class: "link", d: path }), draw("path", { class: "arrow", d: `M${x2} ${y2}l-8 -4v8z` })];
}

function block(node) {
  const { x, y, kind } = node;
  const shape = { class: `box ${kind}`, x, y, width: node.width, height: BOX.height, rx: kind === "task" ? 10 : 2 };
  const found = draw("g", { "data-kind": kind }, draw("rect", shape));
  if (node.state) found.append(draw("rect", { class: "box state", x: x + node.width - 14, y: y + BOX.height - 14, width: 10, height: 10, rx: 2 }));
  if (kind === "fifo") for (const bar of [6, 12, 18]) found.append(draw("line", { class: "link", x1: x + node.width - bar, x2: x + node.width - bar, y1: y + 6, y2: y + BOX.height - 6 }));
  const gap = node.lines.length > 2 ? 16 : 20;
  const top = y + (BOX.height - gap * (node.lines.length - 1)) / 2 + 4;
  node.lines.forEach((line, place) => found.append(
    label(x + 9, top + gap * place, fitted(line, (node.width - 14) * (place ? 1 : LETTER / BOLD)), place ? { class: "small" } : { "font-weight": 600 })));
  return titled(found, [...node.lines, ...(node.detail ?? [])].join("\n"));
}
