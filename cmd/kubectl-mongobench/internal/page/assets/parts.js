// Small parts that every page is made of. It makes window.mongobench, which the files after it add to:
//
//   el(tag, attributes, ...children)   an element; text is only ever set as text, so that no name can become markup
//   svg(tag, attributes, ...children)  the same of a drawing
//   section(id, title, ...children)    a part of the page with a heading
//   button(label, act, attributes)     a real button
//   choice(label, options, act)        a group of buttons of which one is pressed
//   facts(pairs)                       a list of names and texts
//   copy(text, what)                   puts a text into the clipboard and says so
//   data()                             what the page was made from
//   theme.colour(name)                 a colour of page.css as the canvas wants it, such as 'ink'
//   theme.changed(act)                 act is called when light becomes dark, when it becomes light, and around printing
//   format(value, unit, axis)          a figure for people, as the text output writes it
//   clock(seconds)                     an instant of a time axis
//   table({caption, columns, rows})    a table that can be sorted and copied. A column is {name, title, number, bar,
//                                      wrap}: title explains it, a number is aligned to the right, a bar is drawn behind
//                                      values of 0 to 100, and long texts wrap. A cell is a text, or [text, value,
//                                      title]: text is what is seen, value what is sorted and copied.
(() => {
  'use strict';

  function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
      else if (name === 'text') made.textContent = value;
      else made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return made;
  }

  const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

  function section(id, title, ...children) {
    return el('section', { id, 'aria-labelledby': id + '-title' },
      el('h2', { id: id + '-title', text: title }), ...children);
  }

  function button(label, act, attributes) {
    return el('button', { type: 'button', onclick: act, ...attributes }, label);
  }

  // options are [value, label]; act is called with the value.
  function choice(label, options, chosen, act) {
    const buttons = options.map(([value, text]) => button(text, () => {
      buttons.forEach((one, i) => one.setAttribute('aria-pressed', String(options[i][0] === value)));
      act(value);
    }, { 'aria-pressed': String(value === chosen) }));
    return el('div', { class: 'choice', role: 'group', 'aria-label': label },
      el('span', { class: 'label', 'aria-hidden': 'true', text: label }), ...buttons);
  }

  function facts(pairs) {
    return el('dl', { class: 'facts' }, pairs.map(([name, text]) => [el('dt', { text: name }), el('dd', { text })]));
  }

  function say(text) {
    const status = document.getElementById('status');
    status.textContent = text;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { status.textContent = ''; }, 4000);
  }

  // A page that was opened as a file may be without navigator.clipboard.
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = el('textarea', { class: 'aside', 'aria-hidden': 'true' });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      if (!done) return say('The browser does not let this page copy.');
    }
    return say(what + ' copied.');
  }

  const listeners = new Set();
  const probe = el('span', { class: 'aside', 'aria-hidden': 'true' });
  const colours = new Map();
  const theme = {
    colour(name) {
      if (!colours.has(name)) {
        if (!probe.isConnected) document.body.append(probe);
        probe.style.color = `var(--${name})`;
        colours.set(name, getComputedStyle(probe).color);
      }
      return colours.get(name);
    },
    changed(act) { listeners.add(act); },
    choose(name) {
      if (name === 'system') document.documentElement.removeAttribute('data-theme');
      else document.documentElement.setAttribute('data-theme', name);
      theme.chosen = name;
      theme.tell();
    },
    tell() {
      colours.clear();
      listeners.forEach((act) => act());
    },
    chosen: 'system',
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', theme.tell);
  // Paper is light.
  let before = null;
  addEventListener('beforeprint', () => {
    before = theme.chosen;
    mongobench.printing = true;
    theme.choose('light');
  });
  addEventListener('afterprint', () => {
    mongobench.printing = false;
    if (before) theme.choose(before);
  });

  function threeDigits(value) {
    if (value < 10) return value.toFixed(2);
    return value < 100 ? value.toFixed(1) : value.toFixed(0);
  }

  function micros(value) {
    if (value < 1000) return (value % 1 ? value.toFixed(1) : value) + ' µs';
    return value < 1e6 ? threeDigits(value / 1000) + ' ms' : threeDigits(value / 1e6) + ' s';
  }

  function bytes(value) {
    let unit = 0;
    for (; value >= 1024 && unit < 4; unit++) value /= 1024;
    return Number(threeDigits(value)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
  }

  function number(value) {
    const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
    // The sign of what is 0, or is rounded to it, is left out.
    return value.toLocaleString('en-US', { maximumFractionDigits: digits, signDisplay: 'negative' });
  }

  // format writes a value with its unit, and on an axis, where there is less room, without words.
  function format(value, unit, axis) {
    if (value === null || value === undefined) return '–';
    const [what, per] = unit.endsWith('/s') ? [unit.slice(0, -2), '/s'] : [unit, ''];
    if (what === 'µs') return micros(value) + per;
    if (what === 'ms') return micros(value * 1000) + per;
    if (what === 'bytes') return bytes(value) + per;
    if (what === '%') return number(value) + ' %';
    if (axis || what === 'count' || what === '') return number(value) + (axis ? '' : per);
    return number(value) + ' ' + (what === 'operations' ? 'ops' : what) + per;
  }

  // clock writes seconds of a time axis.
  function clock(seconds) {
    const whole = Math.abs(seconds);
    const sign = seconds < 0 ? '−' : '';
    const fraction = whole % 1 ? (whole % 1).toFixed(1).slice(1) : '';
    const minutes = Math.floor(whole / 60) % 60;
    const hours = Math.floor(whole / 3600);
    const two = (n) => String(n).padStart(2, '0');
    if (whole < 60) return sign + Math.floor(whole) + fraction + ' s';
    return sign + (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(Math.floor(whole) % 60) + fraction;
  }

  const textOf = (cell) => (Array.isArray(cell) ? cell[0] : cell);
  const valueOf = (cell) => (Array.isArray(cell) ? cell[1] : cell);

  // Numbers come in their order, texts in the language's, and what is not known comes last either way.
  function compare(a, b, direction) {
    const unknown = (value) => value === null || value === undefined || value === '' || value === '-';
    if (unknown(a) || unknown(b)) return unknown(a) - unknown(b);
    if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
    return direction * String(a).localeCompare(String(b), 'en', { numeric: true });
  }

  function bodyCell(column, cell, first) {
    const text = textOf(cell) ?? '';
    const value = valueOf(cell);
    const title = Array.isArray(cell) && cell[2] ? cell[2] : null;
    const made = first
      ? el('th', { scope: 'row', text, title })
      : el('td', { class: column.number ? 'number' : column.wrap ? 'wrap' : null, text, title });
    if (column.bar && typeof value === 'number') {
      made.classList.add('barred');
      made.style.setProperty('--share', Math.max(0, Math.min(100, value)) + '%');
    }
    return made;
  }

  function asText(options, rows) {
    const line = (cells) => cells.map((cell) => String(cell ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t');
    return [line(options.columns.map((column) => column.name)), ...rows.map((row) => line(row.map(valueOf)))].join('\n');
  }

  function table(options) {
    let rows = options.rows;
    let sorted = { at: -1, direction: 1 };
    const body = el('tbody');
    const heads = options.columns.map((column, at) => el('th', {
      scope: 'col', 'aria-sort': 'none', class: column.number ? 'number' : null,
    }, button(column.name, () => sort(at), { title: column.title })));

    function fill() {
      body.replaceChildren(...rows.map((row) => el('tr', {},
        row.map((cell, at) => bodyCell(options.columns[at], cell, at === 0)))));
    }

    // The first press sorts a number downwards, since the largest is what is looked for, and a text upwards.
    function sort(at) {
      const first = options.columns[at].number ? -1 : 1;
      sorted = { at, direction: sorted.at === at ? -sorted.direction : first };
      rows = [...options.rows].sort((a, b) => compare(valueOf(a[at]), valueOf(b[at]), sorted.direction));
      heads.forEach((head, i) => head.setAttribute('aria-sort',
        i !== at ? 'none' : sorted.direction > 0 ? 'ascending' : 'descending'));
      fill();
    }

    fill();
    return el('div', { class: 'table' },
      el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': options.caption },
        el('table', {}, el('caption', { text: options.caption }), el('thead', {}, el('tr', {}, heads)), body)),
      button('Copy table', () => copy(asText(options, rows), 'Table'),
        { class: 'copy', title: 'With exact values, separated by tabs', 'aria-label': 'Copy table: ' + options.caption }));
  }

  // bar is the top of a page, with what every page has. Links are [id, text].
  function bar(title, links) {
    document.getElementById('bar').replaceChildren(
      el('header', {}, el('strong', { text: title }),
        el('nav', { 'aria-label': 'Parts of the page' },
          links.map(([id, text]) => el('a', { href: '#' + id, text }))),
        choice('Colours', [['system', 'System'], ['light', 'Light'], ['dark', 'Dark']], 'system', theme.choose),
        button('Print', () => print(), { class: 'print' })));
  }

  let data = null;
  const mongobench = {
    el, svg, section, button, choice, facts, table, theme, format, clock, bar, printing: false,
    data: () => (data ??= JSON.parse(document.getElementById('data').textContent)),
  };
  window.mongobench = mongobench;
})();
