// The first and last steps of a group: loads, stores and processors in each, over cycles.
const ROW = 22;

function timeline(group, room) {
  const found = group.timeline;
  if (found?.lines) return make("div", {}, linesPicture(group, found.lines, room), folded("Steps of the memory port as a table", "steps", () => stepsTable(group)));
  if (!found || !found.steps.length) return note(`${counted(group.steps ?? 0, "step")}; their lengths are not in this report${laterText}.`);
  const left = 104;
  const parts = runs(found.steps);
  const gapWidth = 64;
  const cycles = parts.reduce((sum, steps) => sum + steps.reduce((all, step) => all + step[2], 0), 0);
  const wanted = Math.max(room - 8, Math.min(1600, left + 26 * found.steps.length));
  const scale = (wanted - left - 10 - gapWidth * (parts.length - 1)) / Math.max(1, cycles);
  const rows = ["loads", ...group.tasks, "stores"];
  const height = 26 + ROW * rows.length + 30;
  const svg = picture(wanted, height, `Timeline of ${group.tasks.join(", ")}; the steps are in the table below`);
  rows.forEach((name, row) => svg.append(label(left - 8, 26 + ROW * row + 15, fitted(name, left - 22), { "text-anchor": "end" })));
  let x = left;
  parts.forEach((steps, number) => {
    if (number) x = gapBetween(svg, parts[number - 1].at(-1), steps[0], x, gapWidth, height);
    x = drawSteps(svg, steps, x, scale, rows, found.shared_port, height);
  });
  return make("div", {}, legend([["loads", "loads"], ["computing", "work"], ["stores", "stores"]]), wide("Timeline", svg),
    note(`${counted(group.steps, "step")}, ${counted(group.latency_cycles, "cycle")}; numbers above are steps, below cycles.`),
    folded(found.steps.length < group.steps ? "The first and last steps as a table" : "All steps as a table", "steps", () => stepsTable(group)));
}

// Each step: when it starts, and how long port and processors are at work in it.
function stepsTable(group) {
  const names = ["step", "starts at cycle", "cycles", "loads", ...group.tasks, "stores"];
  const rows = group.timeline.steps.map(([number, start, length, loads, stores, ...busy]) => [number, start, length, loads, ...busy, stores].map(shown));
  return grid(`Steps of ${group.tasks.join(", ")}, in cycles`, names, rows);
}

// Steps without gaps between them.
function runs(steps) {
  const found = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (last && last.at(-1)[0] + 1 === step[0]) last.push(step);
    else found.push([step]);
  }
  return found;
}

function gapBetween(svg, before, after, x, width, height) {
  const [steps, cycles] = [after[0] - before[0] - 1, after[1] - before[1] - before[2]];
  const [middle, base] = [x + width / 2, height / 2];
  svg.append(draw("line", { class: "gap", x1: x + 4, x2: x + width - 4, y1: base, y2: base }));
  svg.append(label(middle, base - 20, compact(steps), { "text-anchor": "middle", class: "small" }));
  svg.append(label(middle, base - 7, steps === 1 ? "step" : "steps", { "text-anchor": "middle", class: "small" }));
  svg.append(label(middle, base + 15, compact(cycles), { "text-anchor": "middle", class: "small" }));
  svg.append(label(middle, base + 28, "cycles", { "text-anchor": "middle", class: "small" }));
  return x + width;
}

function drawSteps(svg, steps, begin, scale, rows, shared, height) {
  let [x, labelled, numbered] = [begin, -Infinity, -Infinity];
  const foot = 26 + ROW * rows.length;
  for (const [number, start, length, loads, stores, ...busy] of steps) {
    const width = length * scale;
    if (number % 2) svg.append(draw("rect", { class: "band", x, y: 20, width, height: foot - 20 }));
    if (x - numbered > 8 * String(number).length + 6) {
      svg.append(label(x + width / 2, 14, shown(number), { "text-anchor": "middle", class: "small" }));
      numbered = x;
    }
    bar(svg, "loads", 0, x, loads * scale, `step ${number}: loads, ${counted(loads, "cycle")}`);
    busy.forEach((cycles, task) => bar(svg, "work", task + 1, x, cycles * scale, `step ${number}: ${rows[task + 1]}, ${counted(cycles, "cycle")}`));
    bar(svg, "stores", rows.length - 1, x + (shared ? loads * scale : 0), stores * scale, `step ${number}: stores, ${counted(stores, "cycle")}`);
    if (x - labelled > 8 * shown(start).length + 8) {
      svg.append(draw("line", { class: "axis", x1: x, x2: x, y1: 20, y2: foot + 5 }));
      const centred = x > begin + 20;
      svg.append(label(x, foot + 18, shown(start), { "text-anchor": centred ? "middle" : "start", class: "small" }));
      labelled = centred ? x : x + 4 * shown(start).length; // the middle of the label
    }
    x += width;
  }
  return x;
}

function bar(svg, kind, row, x, width, text) {
  if (width > 0) svg.append(titled(draw("rect", { class: kind, x, y: 26 + ROW * row + 2, width: Math.max(width, 0.7), height: ROW - 5 }), text));
}
