// The plot of designs in the plane of two figures.
function scaleOf(name, low, high, from, to) {
  const logarithmic = low > 0 && high >= 30 * low;
  const f = logarithmic ? Math.log10 : (number) => number;
  const room = logarithmic ? 0.06 * (f(high) - f(low)) : 0.06 * (high - low) || Math.abs(high) / 2 || 0.5;
  const [start, end] = [f(low) - room, f(high) + room];
  const at = (number) => from + ((f(number) - start) / (end - start)) * (to - from);
  const ticks = logarithmic ? logTicks(10 ** start, 10 ** end) : linearTicks(start, end, Math.abs(to - from) / 70);
  return { at, ticks };
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
  const range = (name) => [Math.min(...points.map((one) => value(one, name))), Math.max(...points.map((one) => value(one, name)))];
  const across = scaleOf(state.x, ...range(state.x), margin.left, width - margin.right);
  const up = scaleOf(state.y, ...range(state.y), height - margin.bottom, margin.top);
  const svg = picture(width, height, `${axisTitle(state.y)} over ${axisTitle(state.x)}`);
  svg.append(...axes(across, up, width, height, margin));
  svg.append(stairs(points.filter(keeps), across, up));
  const kept = new Set(points.filter(keeps));
  const ordered = [...points].sort((a, b) => kept.has(a) - kept.has(b) || a.front - b.front);
  for (const design of ordered) svg.append(dot(design, across, up));
  const marks = draw("g");
  svg.append(marks);
  holder.replaceChildren(svg);
  state.plot = { marks, points: new Set(points), ring: () => ring(across, up, width, margin) };
  renderChoice();
}

// The ring around the chosen design; the points stay as they are.
function renderChoice() {
  const { marks, points, ring: drawn } = state.plot;
  marks.replaceChildren(...(state.chosen && points.has(state.chosen) ? drawn() : []));
}

const axisTitle = (name) => `${figureOf.get(name).title} (${figureOf.get(name).unit})`;

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
  return draw("path", { class: "stairs", d: path });
}

function dot(design, across, up) {
  const names = `dot${design.front ? " on-front" : ""}${keeps(design) ? "" : " out"}`;
  const at = { cx: across.at(value(design, state.x)), cy: up.at(value(design, state.y)) };
  const circle = draw("circle", { class: names, r: data.designs.length > 2000 ? 3 : 5, ...at, "data-id": design.id });
  circle.addEventListener("click", () => choose(design));
  return titled(circle, `${design.id}: ${shown(value(design, state.x))} ${figureOf.get(state.x).unit}, ${shown(value(design, state.y))} ${figureOf.get(state.y).unit}`);
}

function ring(across, up, width, margin) {
  const [x, y] = [across.at(value(state.chosen, state.x)), up.at(value(state.chosen, state.y))];
  const right = x > width * 0.6;
  return [
    draw("circle", { class: "ring", r: 9, cx: x, cy: y }),
    label(right ? x - 13 : x + 13, Math.max(y - 6, margin.top + 8), fitted(state.chosen.id, width * 0.35), { "text-anchor": right ? "end" : "start", "font-weight": 700 }),
  ];
}
