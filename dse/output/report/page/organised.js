// What a report has of its best designs and of those that were asked for: memories with banks and addresses, Verilog.
function built(design) {
  const known = Object.keys(data.organised);
  if (!known.length) return null;
  const title = "Memories: banks, words, addresses";
  const rows = data.organised[design.id];
  if (!rows) return part(title, "built", note(`This report has them for ${known.join(", ")}. ${again(design)}; 'arrayol simulate' shows them for any design.`));
  const addressed = rows.every((one) => one.address.length);
  return part(title, "built",
    note(`x0, x1 are subscripts of an array${addressed ? ", u and v number the indices of the outer and inner loops that move it, w places that move with no loop" : `; formulas of words are not in this report${laterText}`}.`),
    grid("Banks, words and addresses of each memory", ["memory", "banks", "copies", "words per bank", "bits per word", "extra registers", "bank of an element", ...(addressed ? ["its word in the bank"] : [])],
      rows.filter((one) => one.words).map((one) => organisedRow(one, addressed)), [6, 7]),
    ...builtOf(design));
}

const memoryTitle = (one) => `${one.group}: ${one.kind} ${one.name}`;

const organisedRow = (one, addressed) => [memoryTitle(one), shown(one.banks), shown(one.copies), shown(one.words), shown(one.width), shown(one.window),
  one.bank ?? (one.banks > 1 ? "by its unit" : "the only one"), ...(addressed ? [one.address.map((text) => make("div", {}, text))] : [])];

// What memories take of the technology, and why they are built so.
function builtOf(design) {
  const found = data.built[design.id];
  if (!found) return [];
  const costs = ["blocks", "lut", "ff", "area"].filter((name) => found.totals[name]);
  const titles = { blocks: "blocks", lut: "LUT", ff: "FF", area: "um2" };
  const row = (one) => [memoryTitle(one), [one.organisation, make("div", { class: "note" }, one.sentences.join(" "))],
    one.built_of + (one.estimate ? " (estimate)" : ""), ...costs.map((name) => shown(one[name]))];
  return [note(`In all ${found.summary}.`), grid("What memories are built of", ["memory", "organisation", "built of", ...costs.map((name) => titles[name])], found.memories.map(row), [1, 2])];
}

const again = (design) => `'${commandOf(data.again, design)}' adds those of ${design.id}`;

function verilogPart(design) {
  const found = data.verilog[design.id];
  const command = `'${commandOf(data.emit, design)}' writes modules, a test bench and a Makefile`;
  if (!found) return part("Verilog", "verilog", note(`Not in this report: ${again(design)}, and ${command}.`));
  if (found.refused) return part("Verilog", "verilog", note(`None here: ${found.refused}.${found.large ? ` ${again(design)}, and ${command}.` : ""}`));
  const count = (text) => text.split("\n").length - 1;
  const top = (name) => name.endsWith("_top.v") && !name.includes("group"); // the whole design, shown at once
  const all = sum(found.files.map(([, place]) => count(data.modules[place])));
  return part("Verilog", "verilog", note(`${counted(found.files.length, "module")}, ${counted(all, "line")}; ${command}.`),
    ...found.files.map(([name, place]) => folded(`${name}, ${counted(count(data.modules[place]), "line")}`, "module",
      () => make("pre", { tabindex: "0", "aria-label": name }, data.modules[place]), top(name))));
}
