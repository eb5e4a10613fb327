// A hierarchy as a graph: what others stand on is below them. An edge that passes a layer gets a lane of
// its own there, so that it never runs behind a resource.

import {svg, mark} from './dom.js';
import {words} from './model.js';

const BOX = {width: 172, height: 44};
const LANE = 14;
const GAP = {x: 14, y: 24};
const PAD = 2;

// Rows from the top; a lane is an item without a name.
function layers(resources) {
  const names = Object.keys(resources);
  const depth = new Map();
  const of = (name) => {
    if (!depth.has(name)) {
      depth.set(name, 0);
      const above = names.filter((other) => other !== name && resources[other].on.includes(name));
      depth.set(name, above.length ? 1 + Math.max(...above.map(of)) : 0);
    }
    return depth.get(name);
  };
  const rows = [];
  const put = (item, row) => {
    (rows[row] = rows[row] || []).push(item);
    return item;
  };
  const boxes = new Map(names.map((name) => [name, {name, width: BOX.width, above: []}]));
  names.sort((a, b) => of(a) - of(b));
  names.forEach((name) => put(boxes.get(name), of(name)));
  const edges = [];
  for (const name of names) {
    for (const on of resources[name].on.filter((below) => boxes.has(below) && below !== name)) {
      const way = [boxes.get(name)];
      for (let row = of(name) + 1; row < of(on); row++) {
        way.push(put({width: LANE, above: [way[way.length - 1]]}, row));
      }
      boxes.get(on).above.push(way[way.length - 1]);
      edges.push([...way, boxes.get(on)]);
    }
  }
  return {rows, edges};
}

function place({rows}) {
  const widths = rows.map((row) => row.reduce((sum, item) => sum + item.width + GAP.x, -GAP.x));
  const width = Math.max(BOX.width, ...widths) + 2 * PAD;
  rows.forEach((row, i) => {
    const middle = (item) => item.above.length ? item.above.reduce((sum, a) => sum + a.x + a.width / 2, 0) / item.above.length : 0;
    row.sort((a, b) => middle(a) - middle(b));
    // As near below what stands on it as there is room.
    const wanted = row.reduce((sum, item) => sum + (middle(item) || width / 2), 0) / row.length;
    let x = Math.min(Math.max(wanted - widths[i] / 2, PAD), width - PAD - widths[i]);
    for (const item of row) {
      item.x = x;
      item.y = PAD + i * (BOX.height + GAP.y);
      x += item.width + GAP.x;
    }
  });
  return {width, height: rows.length * (BOX.height + GAP.y) - GAP.y + 2 * PAD, most: Math.max(...rows.map((row) => row.length))};
}

function line(way) {
  let d = '';
  way.forEach((item, i) => {
    const x = item.x + item.width / 2;
    if (i === 0) {
      d = `M${x} ${item.y + BOX.height}`;
    } else {
      const before = way[i - 1].x + way[i - 1].width / 2;
      const middle = item.y - GAP.y / 2;
      d += `C${before} ${middle} ${x} ${middle} ${x} ${item.y}`;
      if (!item.name) {
        d += `V${item.y + BOX.height}`;
      }
    }
  });
  return svg('path', {class: 'edge', d});
}

function fit(text, max) {
  return text.length <= max ? text : text.slice(0, max - 1) + '…';
}

// Whether it may have to be scrolled where there is little room.
export function broad(resources) {
  return layers(resources).rows.some((row) => row.filter((item) => item.name).length > 2);
}

export function graph(hierarchy, resources, states, node) {
  const laid = layers(resources);
  const {width, height, most} = place(laid);
  const told = [];
  const boxes = laid.rows.slice().reverse().flat().filter((item) => item.name).map((item) => {
    const {name, x, y} = item;
    const {kit, on} = resources[name];
    const state = words((states || {})[name] || 'UNKNOWN');
    told.push(`${name} (${kit}) ${state.word}${on.length ? ', on ' + on.join(' and ') : ''}`);
    return svg('g', {class: 'box ' + state.tone, transform: `translate(${x} ${y})`},
      svg('title', {}, `${name}, kit ${kit}: ${state.word}`),
      svg('rect', {width: BOX.width, height: BOX.height, rx: 6}),
      svg('g', {class: 'shape ' + state.tone, transform: 'translate(16 16)'}, mark(state.tone)),
      svg('text', {x: 29, y: 20, class: 'name'}, fit(name, 19)),
      svg('text', {x: 29, y: 36, class: 'more'}, fit(`${state.word} · ${kit}`, 23)));
  });
  return svg('svg', {class: most > 2 ? 'graph broad' : 'graph', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': `${hierarchy} on ${node}, from the bottom: ${told.join('; ')}`}, laid.edges.map(line), boxes);
}
