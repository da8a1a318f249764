// The chosen design at a glance: its main figures in units that people say, with their shares of the device.
const IN_UNITS = { latency_cycles: "latency_microseconds", frame_cycles: "frames_per_second", internal_memory_elements: "internal_memory_bits" };
const MAIN = ["latency_cycles", "frame_cycles", "internal_memory_elements", "lut", "dsp", "memory_blocks", "area", "units", "traffic_bytes", "energy_nj", "power_mw"];

// The figure that says the same in a unit with k, M or a second in it, where there is one.
const inUnits = (name) => (figureOf.has(IN_UNITS[name]) ? IN_UNITS[name] : name);
const objectives = new Set([...data.objectives, ...data.objectives.map(inUnits)]);
const headline = [...new Set([...MAIN, ...data.objectives].map(inUnits))].filter((name) => figureOf.has(name)).map((name) => figureOf.get(name));

const SCALES = {
  "µs": [[1e6, "s"], [1e3, "ms"], [1, "µs"]], nJ: [[1e9, "J"], [1e6, "mJ"], [1e3, "µJ"], [1, "nJ"]], mW: [[1e3, "W"], [1, "mW"]],
  bits: [[8 * 2 ** 30, "GiB"], [8 * 2 ** 20, "MiB"], [8192, "KiB"]], bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]],
};
const COUNTS = [[1e9, "G"], [1e6, "M"]];

// A figure as people say it: 58.1 ms, 102 KiB, 5.81 M cycles, and of less than 100,000 every digit.
function scaled(number, unit) {
  if (number === null || number === undefined) return "∞";
  const digits = (amount) => shown(Math.abs(amount) < 1000 ? +amount.toPrecision(3) : Math.round(amount));
  const known = SCALES[unit]?.find(([size]) => Math.abs(number) >= size);
  if (known) return `${digits(number / known[0])} ${known[1]}`;
  const count = number < 1e5 || SCALES[unit] ? undefined : COUNTS.find(([size]) => number >= size) ?? [1e3, "k"];
  if (count) return `${digits(number / count[0])} ${count[1]}${unit ? ` ${unit}` : ""}`;
  return `${Number.isInteger(number) ? shown(number) : digits(number)}${unit ? ` ${number === 1 ? unit.replace(/s$/, "") : unit}` : ""}`;
}

// How much of the device a figure takes, 0 to 1; undefined where it has none of it.
const shareOf = (figure, number) => (data.device?.capacities[figure.name] ? number / data.device.capacities[figure.name] : undefined);
const shareText = (part) => (part > 0 && part < 0.005 ? "<1%" : `${Math.round(100 * part)}%`);

function figureText(design, figure) {
  const number = design.values[figure.place];
  const part = shareOf(figure, number);
  return scaled(number, figure.unit) + (part === undefined ? "" : ` (${shareText(part)})`);
}

// The name of a figure where its unit stands with each number; of two alike the plain count says so.
function nameOf(figure) {
  const twice = data.figures.some((one) => one.title === figure.title && one.name === IN_UNITS[figure.name]);
  return twice ? `${figure.title} in ${figure.unit}` : figure.title;
}

const titleOf = (figure) => (figure.unit ? `${figure.title} (${figure.unit})` : figure.title);

function renderHeadline() {
  const holder = byId("chosen");
  const design = state.chosen;
  holder.hidden = !design;
  if (!design) return;
  const knee = design.id === data.knee ? ": the knee" : "";
  const tiles = headline.map((figure) => {
    const part = shareOf(figure, design.values[figure.place]);
    const bar = part === undefined ? null : make("div", { class: "meter", "aria-hidden": "true", style: `--part: ${Math.min(100, 100 * part)}%` });
    return make("div", { class: objectives.has(figure.name) ? "chosen-objective" : null },
      make("dt", {}, nameOf(figure) + (data.estimates.includes(figure.name) ? " (estimate)" : "")), make("dd", {}, figureText(design, figure), bar));
  });
  const device = data.device && headline.some((figure) => shareOf(figure, 0) !== undefined) ? ` In brackets: the share of the ${data.device.name}.` : "";
  holder.replaceChildren(make("h2", { id: "chosen-heading" }, `${design.id}${knee}`), make("dl", { class: "headline" }, ...tiles),
    note(`Figures marked at their side were searched for.${device}`));
}
