// What more of the hardware would gain: the best that the front has with one more unit or twice the memory, and this
// design with words of the port twice as wide.
const RESOURCES = [
  { name: "units", limit: (number) => number + 1, text: (number) => `one more unit: at most ${shown(number)}` },
  { name: "internal_memory_bits", limit: (number) => 2 * number, text: (number) => `twice the internal memory: at most ${scaled(number, "bits")}` },
];

function morePart(design) {
  const rows = [...RESOURCES.filter((one) => figureOf.has(one.name)).map((one) => resourceRow(design, one)), portRow(design)].filter(Boolean);
  if (!rows.length) return null;
  return part("What more hardware would gain", "more", grid("What more hardware would gain", ["with", "gain", "then also", "design"], rows, [1, 2, 3]),
    note(`The best of the ${counted(data.front, "design")} on the front within each limit${data.port ? "; of a wider port this same design" : ""}.`));
}

const TAKEN = new Set(["internal_memory_bits", "lut", "dsp", "memory_blocks", "area", "units"]);

// The figure that gains: the first objective that is not the resource itself.
const goalBeside = (name) => figureOf.get(data.objectives.find((one) => inUnits(one) !== name) ?? data.objectives[0]);

function resourceRow(design, { name, limit, text }) {
  const goal = goalBeside(name);
  const most = limit(value(design, name));
  const worth = (one) => (goal.more ? -1 : 1) * (one.values[goal.place] ?? Infinity);
  const within = data.designs.filter((one) => one.front && value(one, name) <= most);
  const best = within.reduce((found, one) => (worth(one) < worth(found) ? one : found), design);
  if (best === design) return [text(most), `no design is better in ${goal.title}`, "", ""];
  const changes = headline.filter((figure) => TAKEN.has(figure.name) && figure.name !== goal.name && best.values[figure.place] !== design.values[figure.place])
    .map((figure) => `${nameOf(figure)} ${change(best.values[figure.place], design.values[figure.place])}`);
  const open = make("button", { type: "button", on: { click: () => { choose(best); byId("design").focus(); } } }, best.id);
  return [text(most), gainText(goal, best.values[goal.place], design.values[goal.place]), changes.join(", "), open];
}

// A figure with its change; a latency in time where there is a clock.
function gainText(goal, found, other) {
  const time = figureOf.get(inUnits(goal.name));
  const ofCycle = goal.name === "latency_cycles" && time.name !== goal.name ? value(state.chosen, time.name) / value(state.chosen, goal.name) : 0;
  return `${goal.title} ${ofCycle ? scaled(found * ofCycle, time.unit) : scaled(found, goal.unit)} (${difference(found, other)})`;
}

// A difference in percent, of what is several times as much by its factor.
const change = (found, other) => (other && found >= 3 * other ? `${+(found / other).toPrecision(2)} times` : difference(found, other));

const NOTHING = "next to nothing: it hardly waits for the port";

// Port and processors end steps: words twice as wide shorten at most half of those that the port ends.
function portRow(design) {
  const latency = figureOf.get("latency_cycles");
  const cycles = latency ? value(design, "latency_cycles") : null;
  const ends = endsOf(design);
  if (!cycles || !Object.keys(ends).length) return null;
  const text = `a port twice as wide${data.port ? `: words of 2 x ${data.port.word}` : ""}`;
  const wider = data.wider[design.id];
  if (wider !== undefined) return [text, cycles - wider >= cycles / 1000 ? gainText(latency, wider, cycles) : NOTHING, "", "this one"];
  const most = ((ends.loads ?? 0) + (ends.stores ?? 0)) / 2;
  return [text, most >= cycles / 1000 ? `latency at most \u2212${percent(most, cycles)}` : NOTHING, "", "this one"];
}
