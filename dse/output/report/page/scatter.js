// The plot of designs in the plane of two figures.
function scaleOf(low, high, from, to, exact) {
  const logarithmic = low > 0 && high >= 30 * low;
  const f = logarithmic ? Math.log10 : (number) => number;
  const room = exact ? 0 : logarithmic ? 0.06 * (f(high) - f(low)) : 0.06 * (high - low) || Math.abs(high) / 2 || 0.5;
  const [start, end] = [f(low) - room, f(high) + room];
  const at = (number) => from + ((f(number) - start) / (end - start)) * (to - from);
  const numberAt = (place) => {
    const found = start + ((place - from) / (to - from)) * (end - start);
    return logarithmic ? 10 ** found : found;
  };
  const ticks = logarithmic ? logTicks(10 ** start, 10 ** end) : linearTicks(start, end, Math.abs(to - from) / 70);
  return { at, numberAt, ticks };
}

function logTicks(low, high) {
  const found = [];
  const parts = high < 1000 * low ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1)
    for (const part of parts) if (part * 10 ** power >= low && part * 10 ** power <= high) found.push(part * 10 ** power);
  return found;
}

function linearTicks(low, high, most) {
  const rough = (high - low) / Math.max(2, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((part) => part * power).find((size) => size >= rough);
  const found = [];
  for (let place = Math.ceil(low / step); place * step <= high; place += 1) found.push(place * step);
  return found;
}

// Designs that no other one beats in both figures, as the corners of a staircase.
function staircase(designs) {
  const sign = (name) => (figureOf.get(name).more ? -1 : 1);
  const finite = designs.filter((one) => value(one, state.x) !== null && value(one, state.y) !== null);
  const better = (a, b, name) => sign(name) * (value(a, name) - value(b, name));
  const sorted = [...finite].sort((a, b) => better(a, b, state.x) || better(a, b, state.y));
  const corners = [];
  let best = Infinity;
  for (const design of sorted) {
    const height = sign(state.y) * value(design, state.y);
    if (height < best) corners.push([value(design, state.x), value(design, state.y)]);
    best = Math.min(best, height);
  }
  return corners;
}

function renderScatter() {
  const holder = byId("scatter");
  const width = Math.max(280, holder.clientWidth);
  const height = Math.round(Math.min(430, Math.max(260, width * 0.66)));
  const margin = { left: 58, right: 12, top: 24, bottom: 44 };
  const points = data.designs.filter((one) => value(one, state.x) !== null && value(one, state.y) !== null);
  const ranges = state.zoom ?? { x: rangeOf(points, state.x), y: rangeOf(points, state.y) };
  const across = scaleOf(...ranges.x, margin.left, width - margin.right, state.zoom);
  const up = scaleOf(...ranges.y, height - margin.bottom, margin.top, state.zoom);
  const svg = picture(width, height, `${axisTitle(state.y)} over ${axisTitle(state.x)}`);
  byId("plot-text").textContent = plotText(points.filter(keeps));
  svg.append(...axes(across, up, width, height, margin));
  const plane = { x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  svg.append(draw("defs", {}, draw("clipPath", { id: "plane" }, draw("rect", plane))));
  svg.append(stairs(points.filter(keeps), across, up));
  const kept = new Set(points.filter(keeps));
  const inside = (one) => [[state.x, ranges.x], [state.y, ranges.y]].every(([name, [low, high]]) => value(one, name) >= low && value(one, name) <= high);
  const ordered = points.filter(inside).sort((a, b) => kept.has(a) - kept.has(b) || a.front - b.front);
  const drawn = thinned(ordered, across, up);
  for (const design of drawn) svg.append(dot(design, across, up));
  const marks = draw("g");
  svg.append(marks);
  svg.addEventListener("click", (event) => onDot(event.target, (design) => (event.shiftKey || event.ctrlKey || event.metaKey ? compareAlso : choose)(design)));
  svg.addEventListener("pointerover", (event) => onDot(event.target, (design) => event.target.childNodes.length || titled(event.target, dotText(design))));
  svg.addEventListener("pointerdown", (event) => drag(event, svg, across, up, { width, height, margin }));
  holder.replaceChildren(svg);
  byId("whole").hidden = !state.zoom;
  state.plot = { marks, points: new Set(points.filter(inside)), plane, across, up, ring: () => ring(across, up, width, margin) };
  renderChoice();
}

const rangeOf = (points, name) => points.reduce(([low, high], one) => [Math.min(low, value(one, name)), Math.max(high, value(one, name))], [Infinity, -Infinity]);

// A frame that the pointer draws becomes the part of the plane that is shown.
function drag(event, svg, across, up, { width, height, margin }) {
  if (event.button !== 0) return;
  const place = (one) => {
    const box = svg.getBoundingClientRect();
    return [Math.min(width - margin.right, Math.max(margin.left, one.clientX - box.left)), Math.min(height - margin.bottom, Math.max(margin.top, one.clientY - box.top))];
  };
  const [x, y] = place(event);
  const frame = draw("rect", { class: "frame" });
  const sides = (one) => {
    const [right, low] = place(one);
    return { x: Math.min(x, right), y: Math.min(y, low), width: Math.abs(right - x), height: Math.abs(low - y) };
  };
  const follow = (one) => {
    if (!frame.isConnected) svg.append(frame);
    for (const [name, size] of Object.entries(sides(one))) frame.setAttribute(name, size);
  };
  const release = (one) => {
    for (const [name, act] of [["pointermove", follow], ["pointerup", release], ["pointercancel", release]]) removeEventListener(name, act);
    frame.remove();
    const drawn = sides(one);
    if (one.type === "pointercancel" || drawn.width < 8 || drawn.height < 8) return;
    zoomTo({
      x: [across.numberAt(drawn.x), across.numberAt(drawn.x + drawn.width)],
      y: [up.numberAt(drawn.y + drawn.height), up.numberAt(drawn.y)],
    });
  };
  for (const [name, act] of [["pointermove", follow], ["pointerup", release], ["pointercancel", release]]) addEventListener(name, act);
}

function zoomTo(ranges) {
  state.zoom = ranges;
  renderScatter();
}

// The ring around the chosen design; the points stay as they are.
function renderChoice() {
  const { marks, points, ring: drawn } = state.plot;
  const { across, up } = state.plot;
  const beside = state.compared.filter((one) => points.has(one)).map((one) =>
    draw("circle", { class: "ring beside", r: 7, cx: across.at(value(one, state.x)), cy: up.at(value(one, state.y)) }));
  marks.replaceChildren(...beside, ...(state.chosen && points.has(state.chosen) ? drawn() : []));
}

// Half of the plane around the chosen design, or twice the plane.
function zoomBy(factor) {
  const { plane, across, up } = state.plot;
  if (!state.chosen || !state.plot.points.has(state.chosen)) return zoomTo(null);
  if (factor > 1 && !state.zoom) return undefined;
  const centre = [across.at(value(state.chosen, state.x)), up.at(value(state.chosen, state.y))];
  const [wide, high] = [(plane.width * factor) / 2, (plane.height * factor) / 2];
  const ranges = { x: [across.numberAt(centre[0] - wide), across.numberAt(centre[0] + wide)], y: [up.numberAt(centre[1] + high), up.numberAt(centre[1] - high)] };
  const all = ["x", "y"].every((axis) => { const [low, most] = rangeOf(data.designs.filter((one) => value(one, state[axis]) !== null), state[axis]); return ranges[axis][0] <= low && ranges[axis][1] >= most; });
  return zoomTo(all ? null : ranges);
}

// Many designs lie on the same spot: of those in a square of 3 pixels the topmost is drawn, and the keys reach all.
const DRAWN = 1500;

function thinned(designs, across, up) {
  if (designs.length <= DRAWN) return designs;
  const taken = new Set();
  return designs.toReversed().filter((one) => {
    const square = `${Math.round(across.at(value(one, state.x)) / 3)} ${Math.round(up.at(value(one, state.y)) / 3)} ${keeps(one)}`;
    return !taken.has(square) && taken.add(square);
  }).toReversed();
}

// The plot in words.
function plotText(designs) {
  if (!designs.length) return "No design.";
  const ends = (name) => {
    const [low, high] = rangeOf(designs, name);
    return `${figureOf.get(name).title} from ${shown(low)} to ${shown(high)} ${figureOf.get(name).unit}`.trimEnd();
  };
  return `${counted(designs.length, "design")}: ${ends(state.x)}, ${ends(state.y)}. The table has all figures.`;
}

const axisTitle = (name) => titleOf(figureOf.get(name));

function axes(across, up, width, height, margin) {
  const found = [];
  for (const tick of across.ticks) {
    const x = across.at(tick);
    found.push(draw("line", { class: "grid", x1: x, x2: x, y1: margin.top, y2: height - margin.bottom }));
    found.push(label(x, height - margin.bottom + 16, compact(tick), { "text-anchor": "middle", class: "small" }));
  }
  for (const tick of up.ticks) {
    const y = up.at(tick);
    found.push(draw("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y, y2: y }));
    found.push(label(margin.left - 6, y + 4, compact(tick), { "text-anchor": "end", class: "small" }));
  }
  const corner = { x1: margin.left, y1: height - margin.bottom };
  found.push(draw("line", { class: "axis", ...corner, x2: width - margin.right, y2: height - margin.bottom }));
  found.push(draw("line", { class: "axis", ...corner, x2: margin.left, y2: margin.top }));
  found.push(label((margin.left + width - margin.right) / 2, height - 8, axisTitle(state.x), { "text-anchor": "middle" }));
  found.push(label(4, 13, axisTitle(state.y)));
  return found;
}

function stairs(designs, across, up) {
  const corners = staircase(designs);
  let path = "";
  corners.forEach(([x, y], place) => {
    path += place ? `H${across.at(x)}V${up.at(y)}` : `M${across.at(x)} ${up.at(y)}`;
  });
  return draw("path", { class: "stairs", d: path, "clip-path": "url(#plane)" });
}

function dot(design, across, up) {
  const names = `dot${design.front ? " on-front" : ""}${keeps(design) ? "" : " out"}`;
  const at = { cx: across.at(value(design, state.x)), cy: up.at(value(design, state.y)) };
  return draw("circle", { class: names, r: data.designs.length > 300 ? 2.5 : 5, ...at, "data-id": design.id });
}

const dotText = (design) => `${design.id}: ${[state.x, state.y].map((name) => `${shown(value(design, name))} ${figureOf.get(name).unit || figureOf.get(name).title}`).join(", ")}`;

// Do something with the design of a point.
function onDot(target, act) {
  if (target.classList.contains("dot")) act(data.designs.find((one) => one.id === target.dataset.id));
}

function ring(across, up, width, margin) {
  const [x, y] = [across.at(value(state.chosen, state.x)), up.at(value(state.chosen, state.y))];
  const right = x > width * 0.6;
  return [
    draw("circle", { class: "ring", r: 9, cx: x, cy: y }),
    label(right ? x - 13 : x + 13, Math.max(y - 6, margin.top + 8), fitted(state.chosen.id, width * 0.35), { "text-anchor": right ? "end" : "start", "font-weight": 700 }),
  ];
}
