// Tables that can be sorted and copied. It adds to window.mongobench:
//
//   table({caption, columns, rows})
//
// A column is {name, title, number, bar, wrap}: title explains it, a number is aligned to the right, a bar is drawn behind
// values of 0 to 100, and long texts wrap. A cell is a text, or [text, value, title]: text is what is seen, value what is sorted and copied.
(() => {
  'use strict';
  const { el, button, copy } = window.mongobench;

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

  window.mongobench.table = table;
})();
