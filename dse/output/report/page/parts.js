// Amounts by part: stacked bars, and the same as a table.
// Six colours, then the same with hatches: as many parts as a picture tells apart. More are one part together.
const COLOURS = 6;
const HATCHES = ["M-1 1l2 -2M0 8l8 -8M7 9l2 -2", "M-1 7l2 2M0 0l8 8M7 -1l2 2", "M0 4h8"];
const PARTS = COLOURS * (HATCHES.length + 1);
const share = (place) => `share-${place}`;

// A rectangle of a kind, with the hatch of its share where it has one.
function filled(kind, shape, text = "") {
  const place = kind.startsWith("share-") ? Number(kind.slice(6)) : 0;
  const plain = draw("rect", { class: place < COLOURS ? kind : share(place % COLOURS), ...shape });
  const hatch = place < COLOURS ? null : draw("rect", { class: "hatched", fill: `url(#hatch-${Math.floor(place / COLOURS) - 1})`, ...shape });
  const group = draw("g", { class: "part" }, plain, hatch);
  return text ? titled(group, text) : group;
}

// The hatches, for all pictures of the page.
function hatches() {
  const pattern = (path, place) => draw("pattern", { id: `hatch-${place}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" }, draw("path", { class: "hatch", d: path }));
  return draw("svg", { width: 0, height: 0, class: "unseen", "aria-hidden": "true" }, draw("defs", {}, ...HATCHES.map(pattern)));
}

function legend(entries) {
  const swatch = (name, kind) => draw("svg", { width: 14, height: 14, "aria-hidden": "true" }, filled(kind, { x: 1, y: 1, width: 12, height: 12 }));
  return make("div", { class: "legend" }, ...entries.map(([name, kind]) => make("span", {}, swatch(name, kind), name)));
}

const sum = (amounts) => amounts.reduce((all, one) => all + one, 0);

// Horizontal bars of parts [[class, amount, text]], one for each row [name, parts]; `title` says of what.
function stacks(rows, room, title) {
  const [left, right] = [Math.min(150, room * 0.34), 74];
  const most = Math.max(1, ...rows.map(([, parts]) => sum(parts.map((one) => one[1]))));
  const width = Math.max(260, Math.min(room, 900));
  const scale = (width - left - right) / most;
  const told = rows.map(([name, parts]) => `${name}: ${parts.filter((one) => one[1]).map((one) => one[2]).join(", ") || "nothing"}`);
  const svg = picture(width, rows.length * ROW + 6, `${title}. ${told.join("; ")}`);
  rows.forEach(([name, parts], row) => {
    let x = left;
    svg.append(titled(label(left - 8, ROW * row + 16, fitted(name, left - 20), { "text-anchor": "end" }), name));
    for (const [kind, amount, text] of parts) {
      if (amount) svg.append(filled(kind, { x, y: ROW * row + 3, width: Math.max(0.7, amount * scale), height: ROW - 6 }, text));
      x += amount * scale;
    }
    svg.append(label(x + 6, ROW * row + 16, compact(sum(parts.map((one) => one[1]))), { class: "small" }));
  });
  return wide(title, svg);
}

// Bars and a table of amounts by part, one bar and one column for each of [name, {part: amount}].
function byPart(title, unit, columns, room) {
  const last = (name) => name === MEMORIES; // in the order of the first design, these at the end
  const all = [...new Set(columns.flatMap(([, amounts]) => Object.keys(amounts)))].sort((a, b) => last(a) - last(b));
  const same = (name) => columns.length > 1 && all.length > 2 && allEqual(columns.map(([, amounts]) => amounts[name] ?? 0));
  const told = joined(columns, all.filter(same), (count) => `${counted(count, "part")} alike in all`);
  const [parts, amounts] = [told.parts(all), told.amounts];
  const drawn = joined(amounts, parts.length > PARTS ? smallest(parts, amounts, parts.length - PARTS + 1) : [], (count) => `${count} smaller parts`);
  const names = drawn.parts(parts);
  const rows = drawn.amounts.map(([name, own]) => [name, names.map((one, place) => [share(place), own[one] ?? 0, `${one}: ${shown(own[one] ?? 0)} ${unit}`])]);
  const wholes = columns.map(([, own]) => sum(Object.values(own)));
  const cell = (amount, place) => `${shown(amount)} (${percent(amount, wholes[place])})`;
  const lines = parts.map((one) => [one, ...amounts.map(([, own], place) => (one in own ? cell(own[one], place) : "none"))]);
  return [
    legend(names.map((one, place) => [one, share(place)])), stacks(rows, room, title),
    grid(`${title}, by part`, ["part", ...columns.map(([name]) => `${name} (${unit})`)], [...lines, ["in all", ...wholes.map(shown)]]),
  ];
}

// Some parts of columns as one part, where there are two or more of them.
function joined(columns, some, title) {
  if (some.length < 2) return { parts: (all) => all, amounts: columns };
  const [gone, name] = [new Set(some), title(some.length)];
  const amounts = columns.map(([column, own]) => [column, {
    ...Object.fromEntries(Object.entries(own).filter(([one]) => !gone.has(one))), [name]: sum(some.map((one) => own[one] ?? 0)),
  }]);
  return { parts: (all) => [...all.filter((one) => !gone.has(one)), name], amounts };
}

// The parts that take the least in all columns together.
function smallest(parts, columns, count) {
  const size = (name) => sum(columns.map(([, own]) => own[name] ?? 0));
  return [...parts].sort((a, b) => size(a) - size(b)).slice(0, count);
}

const MEMORIES = "local memories";

// By name of a cost what each processor, and all local memories, have of it.
function costsOf(design) {
  const found = {};
  const add = (name, part, amount) => { if (amount) (found[name] ??= {})[part] = (found[name][part] ?? 0) + amount; };
  const groups = groupsOf(design);
  for (const one of groups.flatMap((group) => group.processors)) for (const [name, amount] of Object.entries(one.costs ?? {})) add(name, one.task, amount);
  for (const memory of groups.flatMap((group) => group.memories ?? [])) for (const [name, amount] of Object.entries(memory.costs)) add(name, MEMORIES, amount);
  return found;
}

// What ends the steps of how many cycles.
function endsOf(design) {
  const found = {};
  for (const group of groupsOf(design)) for (const [name, cycles] of Object.entries(group.ends ?? {})) found[name] = (found[name] ?? 0) + cycles;
  return found;
}

// Bits of memory by what they hold.
function bitsOf(design) {
  const found = {};
  for (const [{ kind, name, bits }] of memoriesOf(design)) if (bits) found[`${kind} ${name}`] = (found[`${kind} ${name}`] ?? 0) + bits;
  return found;
}

// Each memory with the number of its group: those beside all groups, but what groups have of ROMs, have none.
function memoriesOf(design) {
  const inGroups = groupsOf(design).flatMap((group, place) => (group.memories ?? []).map((memory) => [memory, place + 1]));
  const roms = inGroups.some(([memory]) => memory.kind === "rom"); // as they are built
  return [...inGroups, ...design.resident.filter((memory) => memory.bits && !(roms && memory.kind === "rom")).map((memory) => [memory, null])];
}

const groupsOf = (design) => design.groups.map((place) => data.groups[place]);
