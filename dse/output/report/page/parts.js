// Amounts by part: stacked bars, and the same as a table.
const share = (place) => `share-${place % 6}`;

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
    svg.append(titled(label(left - 8, ROW * row + 16, fitted(name, left - 10), { "text-anchor": "end" }), name));
    for (const [kind, amount, text] of parts) {
      if (amount) svg.append(titled(draw("rect", { class: kind, x, y: ROW * row + 3, width: Math.max(0.7, amount * scale), height: ROW - 6 }), text));
      x += amount * scale;
    }
    svg.append(label(x + 6, ROW * row + 16, compact(sum(parts.map((one) => one[1]))), { class: "small" }));
  });
  return wide(title, svg);
}

// Bars and a table of amounts by part, one bar and one column for each of [name, {part: amount}].
function byPart(title, unit, columns, room) {
  const last = (name) => name === MEMORIES; // in the order of the first design, these at the end
  const parts = [...new Set(columns.flatMap(([, amounts]) => Object.keys(amounts)))].sort((a, b) => last(a) - last(b));
  const rows = columns.map(([name, amounts]) => [name, parts.map((one, place) => [share(place), amounts[one] ?? 0, `${one}: ${shown(amounts[one] ?? 0)} ${unit}`])]);
  const wholes = columns.map(([, amounts]) => sum(Object.values(amounts)));
  const cell = (amount, place) => `${shown(amount)} (${percent(amount, wholes[place])})`;
  const lines = parts.map((one) => [one, ...columns.map(([, amounts], place) => (one in amounts ? cell(amounts[one], place) : "none"))]);
  return [
    legend(parts.map((one, place) => [one, share(place)])), stacks(rows, room, title),
    grid(`${title}, by part`, ["part", ...columns.map(([name]) => `${name} (${unit})`)], [...lines, ["in all", ...wholes.map(shown)]]),
  ];
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
