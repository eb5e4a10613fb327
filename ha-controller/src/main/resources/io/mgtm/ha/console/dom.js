// Elements from values. Text is always text: nothing here makes markup of it, and the page's policy
// forbids it. A tree is laid over what is shown, so that focus, selection and what is folded open stay.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false && child !== '') {
      element.append(child instanceof Node ? child : String(child));
    }
  }
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function same(shown, wanted) {
  return shown.nodeType === wanted.nodeType
    && shown.nodeName === wanted.nodeName
    && (shown.nodeType !== Node.ELEMENT_NODE || shown.getAttribute('data-key') === wanted.getAttribute('data-key'));
}

function lay(shown, wanted) {
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    if (shown.nodeValue !== wanted.nodeValue) {
      shown.nodeValue = wanted.nodeValue;
    }
    return;
  }
  for (const name of shown.getAttributeNames()) {
    // Whether something is folded open is the reader's.
    if (!wanted.hasAttribute(name) && !(shown.nodeName === 'DETAILS' && name === 'open')) {
      shown.removeAttribute(name);
    }
  }
  for (const name of wanted.getAttributeNames()) {
    if (shown.getAttribute(name) !== wanted.getAttribute(name)) {
      shown.setAttribute(name, wanted.getAttribute(name));
    }
  }
  show(shown, [...wanted.childNodes]);
}

// Makes these the children of an element.
export function show(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.children) {
    if (child.hasAttribute('data-key')) {
      keyed.set(child.getAttribute('data-key'), child);
    }
  }
  let at = parent.firstChild;
  for (const node of wanted) {
    const key = node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;
    const known = key === null ? null : keyed.get(key);
    if (known && known !== at && same(known, node)) {
      parent.insertBefore(known, at);
      at = known;
    }
    if (at && same(at, node)) {
      lay(at, node);
      at = at.nextSibling;
    } else {
      parent.insertBefore(node, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

// A state is told by a shape and a word; colour only helps.
const MARKS = {
  ok: () => [svg('circle', {r: 5.5, class: 'fill'}), svg('path', {d: 'M-2.6.2-.7 2l3.4-3.9', class: 'cut'})],
  busy: () => [svg('circle', {r: 5, class: 'line'}), svg('path', {d: 'M0-5a5 5 0 0 1 0 10z', class: 'fill'})],
  warn: () => [svg('path', {d: 'M0-5.8 6.2 5.4H-6.2z', class: 'fill'}), svg('path', {d: 'M0-2v3.6M0 3v1', class: 'cut'})],
  bad: () => [svg('rect', {x: -5.7, y: -5.7, width: 11.4, height: 11.4, rx: 2, class: 'fill'}), svg('path', {d: 'm-2.6-2.6 5.2 5.2m0-5.2-5.2 5.2', class: 'cut'})],
  off: () => [svg('circle', {r: 5, class: 'line'})],
  unknown: () => [svg('circle', {r: 5, class: 'line dashed'}), svg('circle', {r: 1.3, class: 'fill'})],
  hold: () => [svg('circle', {r: 5.5, class: 'line'}), svg('path', {d: 'M-1.6-2.4v4.8M1.6-2.4v4.8', class: 'stroke'})],
};

// Around the origin.
export function mark(tone) {
  return MARKS[tone]();
}

export function shape(tone) {
  return svg('svg', {class: 'shape ' + tone, viewBox: '-7 -7 14 14', width: 14, height: 14, 'aria-hidden': 'true'}, mark(tone));
}

export function state(tone, word, more) {
  return h('span', {class: 'state ' + tone, title: more}, shape(tone), word);
}

export function seconds(ms) {
  const s = Math.max(0, ms) / 1000;
  if (s < 10) {
    return s.toFixed(1) + ' s';
  }
  if (s < 100) {
    return Math.round(s) + ' s';
  }
  return s < 6000 ? Math.round(s / 60) + ' min' : Math.round(s / 3600) + ' h';
}

export function countdown(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const rest = String(s % 60).padStart(2, '0');
  return s >= 3600 ? `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${rest}` : `${Math.floor(s / 60)}:${rest}`;
}

export function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  let value = Number(n) || 0;
  while (value >= 1024 && i < units.length - 1) {
    value /= 1024;
    i++;
  }
  return (i === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)) + ' ' + units[i];
}
