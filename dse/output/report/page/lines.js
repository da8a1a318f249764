// A streaming group: the lines of the picture that each node passes, over pulses.
function linesPicture(group, rows, room) {
  const left = 128;
  const width = Math.max(320, Math.min(room - 8, 1100));
  const until = Math.max(...rows.flatMap(([, , , bars]) => bars.map((bar) => bar[1])));
  const scale = (width - left - 12) / Math.max(1, until);
  const foot = 8 + ROW * rows.length;
  const told = rows.map(([name, lines, , bars]) => `${name} from pulse ${shown(bars[0][0])}, ${counted(lines, "line")}`);
  const svg = picture(width, foot + 40, `Lines of ${group.tasks.join(", ")} over pulses: ${told.join("; ")}`);
  rows.forEach(([name, lines, whole, bars], row) => {
    svg.append(titled(label(left - 8, ROW * row + 23, fitted(name, left - 14), { "text-anchor": "end" }), name));
    bars.forEach(([begin, end], number) => {
      const text = whole ? `${name}: ${counted(lines, "line")}, pulses ${shown(begin)} to ${shown(end)}` : `${name}: line ${number}, pulses ${shown(begin)} to ${shown(end)}`;
      const shape = { class: kindOf(name), x: left + begin * scale, y: ROW * row + 10, width: Math.max((end - begin) * scale - 1, 0.7), height: ROW - 5 };
      svg.append(titled(draw("rect", shape), text));
      if (!whole && (end - begin) * scale > 14) svg.append(label(left + (begin + end) / 2 * scale, ROW * row + 22, String(number), { "text-anchor": "middle", class: "on-bar" }));
    });
  });
  for (const pulse of ticks(until)) {
    const x = left + pulse * scale;
    svg.append(draw("line", { class: "axis", x1: x, x2: x, y1: 6, y2: foot + 5 }));
    svg.append(label(x, foot + 18, shown(pulse), { "text-anchor": pulse ? "middle" : "start", class: "small" }));
  }
  svg.append(label(width - 12, foot + 34, "pulses", { "text-anchor": "end", class: "small" }));
  const { line, frame } = group.stream;
  const firsts = rows[0][2] ? "Each bar is a whole frame." : "The first lines of a frame, by their numbers from 0.";
  const kinds = [["loads", "loads"], ["computing", "work"], ["stores", "stores"]].filter(([kind, drawn]) => rows.some(([name]) => kindOf(name) === drawn));
  return make("div", {}, legend(kinds), wide("Lines over pulses", svg),
    note(`${firsts} A line takes ${counted(line, "pulse")}, the next frame begins ${counted(frame, "pulse")} after this one. A pulse is a cycle in which the group does not wait.`));
}

const kindOf = (node) => node.startsWith("load ") ? "loads" : node.startsWith("store ") ? "stores" : "work";

// At most six round numbers from 0 on.
function ticks(until) {
  const rough = until / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  return [...Array(Math.floor(until / step) + 1).keys()].map((place) => place * step);
}
