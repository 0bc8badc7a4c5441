// Charts on uPlot. It adds to window.mongobench:
//
//   timeAxis(from, to)     a time axis, in seconds, that charts share: they show the same part of it, and the same cursor
//   legend(lines)          buttons that hide and show lines of all charts that are given it
//   chart(options)         a figure with a chart, which is drawn once it is near to being seen, or printed
//
// Options of a chart:
//
//   title, note            its heading, and what has to be known to read it
//   unit                   of y: µs, ms, bytes, bytes/s, operations/s, count, %, ...
//   lines                  [{label, x, y, colour, dash, width, fill, points}]: x rising, y null where not known, colour and
//                          dash the number of one; each line has its own x
//   legend                 one that is shared; without it the chart has its own
//   axis                   a shared time axis; without it x is {unit, log, label, ticks, text}
//   logarithmic            whether y is
//   marks                  [{at, to, kind, label}] on the time axis: a stretch with to, otherwise an instant
//   heat                   {x, widths, cells, bounds}: cells[i] are [first bucket, counts...] of the widths[i] up to x[i],
//                          and bounds[b] is where bucket b begins
//   band, levels, range    whether what lies between the second line and the third is filled, [{at, label, dashed}] of y
//                          that are drawn all over the chart, and what is seen of y, without which it is all
//   height, small
(() => {
  'use strict';
  const mongobench = window.mongobench;
  const { el, button, format, clock, theme } = mongobench;
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  const colourCount = 12;
  const colourOf = (index) => theme.colour('line-' + (index % colourCount));
  // The same for an element, which follows the theme by itself.
  const variableOf = (index) => `var(--line-${index % colourCount})`;
  const font = '12px system-ui, sans-serif';

  // The distance at which a chart is drawn before it is seen.
  const drawn = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) entry.target.draw();
  }, { rootMargin: '800px' });
  const sized = new ResizeObserver((entries) => {
    for (const entry of entries) entry.target.fit();
  });
  const all = new Set();
  // Charts that a page let go of are forgotten.
  const present = () => [...all].filter((host) => host.isConnected || (all.delete(host), host.free(), false));
  theme.changed(() => present().forEach((host) => host.redraw()));

  let axes = 0;

  function timeAxis(from, to) {
    const charts = new Set();
    const axis = {
      key: 'time-' + axes++, full: [from, to], now: [from, to], charts,
      show(least, most) {
        const shortest = (axis.full[1] - axis.full[0]) / 10000;
        if (!(most - least > shortest)) return;
        axis.now = [least, most];
        for (const chart of charts) {
          const scale = chart.scales.x;
          if (scale.min !== least || scale.max !== most) chart.setScale('x', { min: least, max: most });
        }
      },
      reset() { axis.show(...axis.full); },
      // move and zoom by parts of what is seen.
      move(part) {
        const [least, most] = axis.now;
        const by = (most - least) * part;
        axis.show(least + by, most + by);
      },
      zoom(factor, about) {
        const [least, most] = axis.now;
        const middle = about ?? (least + most) / 2;
        axis.show(middle - (middle - least) * factor, middle + (most - middle) * factor);
      },
      controls() {
        return el('div', { class: 'choice', role: 'group', 'aria-label': 'Part of the time axis' },
          button('Zoom in', () => axis.zoom(0.5)), button('Zoom out', () => axis.zoom(2)),
          button('Earlier', () => axis.move(-0.25)), button('Later', () => axis.move(0.25)),
          button('Whole', () => axis.reset()));
      },
    };
    return axis;
  }

  function legend(lines) {
    const hidden = new Set(lines.filter((line) => line.hidden).map((line) => line.label));
    const hosts = new Set();
    const element = el('ul', { class: 'legend', 'aria-label': 'Lines' }, lines.map((line) => {
      const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.borderTopColor = variableOf(line.colour || 0);
      swatch.style.borderTopStyle = ['solid', 'dashed', 'dotted', 'double'][(line.dash || 0) % 4];
      const press = button([swatch, line.label], () => {
        if (!hidden.delete(line.label)) hidden.add(line.label);
        press.setAttribute('aria-pressed', String(!hidden.has(line.label)));
        hosts.forEach((host) => host.visible());
      }, { 'aria-pressed': String(!hidden.has(line.label)), title: 'Shows or hides the line' });
      return el('li', {}, press);
    }));
    return { element, hidden, hosts };
  }

  // nearest is the index of the last x up to a value, -1 without any.
  function nearest(x, value) {
    let low = 0;
    let high = x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function valueAt(line, x, step) {
    let at = nearest(line.x, x + 1e-9);
    if (at < 0 && line.x.length && line.x[0] - x <= step) at = 0;
    if (at < 0 || x - line.x[at] > step) return null;
    return line.y[at];
  }

  // step is the usual distance of two points.
  function stepOf(line) {
    return line.x.length < 2 ? Infinity : (line.x[line.x.length - 1] - line.x[0]) / (line.x.length - 1) * 1.5;
  }

  const markColours = {
    step: 'band', warmup: 'band-warm', action: 'mark-action', election: 'mark-election', restart: 'mark-restart',
    silent: 'mark-restart', checkpoint: 'band-flush', migration: 'band-move',
  };

  const xOf = (chart, value) => chart.valToPos(value, 'x', true);

  function paintBands(chart, marks) {
    const { ctx, bbox } = chart;
    ctx.save();
    for (const mark of marks) {
      if (mark.to === undefined) continue;
      const from = Math.max(bbox.left, xOf(chart, mark.at));
      const to = Math.min(bbox.left + bbox.width, xOf(chart, mark.to));
      if (to <= from) continue;
      ctx.fillStyle = theme.colour(markColours[mark.kind] || 'band');
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    }
    ctx.restore();
  }

  function strike({ ctx, bbox }, mark, at, ratio) {
    ctx.strokeStyle = theme.colour(markColours[mark.kind] || 'ink');
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash(mark.kind === 'election' ? [4 * ratio, 3 * ratio] : []);
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  }

  // paintInstants draws what happened at an instant, and the words of that and of the steps.
  function paintInstants(chart, marks, labelled) {
    const { ctx, bbox, pxRatio } = chart;
    const ratio = pxRatio || devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = 'top';
    ctx.textAlign = 'left';
    let until = -Infinity;
    let row = 0;
    for (const mark of marks) {
      const at = xOf(chart, mark.at);
      if (at < bbox.left - 1 || at > bbox.left + bbox.width + 1) continue;
      if (mark.to === undefined) strike(chart, mark, at, ratio);
      else if (mark.kind !== 'step') continue;
      if (!labelled) continue;
      ctx.fillStyle = theme.colour(mark.to === undefined ? markColours[mark.kind] || 'ink' : 'ink-soft');
      // Labels that would lie over each other go into rows.
      row = at < until ? (row + 1) % 4 : 0;
      const width = ctx.measureText(mark.label).width + 8 * ratio;
      const left = Math.min(at + 4 * ratio, bbox.left + bbox.width - width);
      ctx.fillText(mark.label, left, bbox.top + (3 + 13 * row) * ratio);
      until = Math.max(until, left + width);
    }
    ctx.restore();
  }

  // paintHeat draws each bucket of each column in a colour by the logarithm of its count.
  function paintHeat(chart, heat) {
    const { ctx, bbox } = chart;
    let most = 1;
    for (const cell of heat.cells) for (let i = 1; i < cell.length; i++) most = Math.max(most, cell[i]);
    const colours = Array.from({ length: 8 }, (_, i) => theme.colour('heat-' + i));
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    heat.cells.forEach((cell, column) => {
      const left = Math.floor(xOf(chart, heat.x[column] - heat.widths[column]));
      const width = Math.max(1, Math.ceil(xOf(chart, heat.x[column])) - left);
      for (let i = 1; i < cell.length; i++) {
        if (!cell[i]) continue;
        const bucket = cell[0] + i - 1;
        const bottom = chart.valToPos(heat.bounds[bucket], 'y', true);
        const top = chart.valToPos(heat.bounds[bucket + 1], 'y', true);
        ctx.fillStyle = colours[Math.min(7, Math.floor(8 * Math.log(cell[i]) / Math.log(most + 1)))];
        ctx.fillRect(left, top, width, Math.max(1, bottom - top));
      }
    });
    ctx.restore();
  }

  function heatRange(heat) {
    let least = Infinity;
    let most = -Infinity;
    for (const cell of heat.cells) {
      if (cell.length < 2) continue;
      least = Math.min(least, cell[0]);
      most = Math.max(most, cell[0] + cell.length - 1);
    }
    return least > most ? [1, 1000] : [heat.bounds[least], heat.bounds[Math.min(most, heat.bounds.length - 1)]];
  }

  function yRange(options) {
    if (options.range) return () => options.range;
    if (options.heat) {
      const range = heatRange(options.heat);
      return () => range;
    }
    if (options.logarithmic) {
      return (_, least, most) => (least === null ? [1, 1000] : [least / 1.15, most * 1.15]);
    }
    return (_, least, most) => (most === null ? [0, 1] : [Math.min(0, least), Math.max(most, 0) * 1.08 || 1]);
  }

  function scalesOf(options) {
    const x = { time: false };
    // At first it is what the other charts show, and then what this one is told to show.
    if (options.axis) x.range = (chart, least, most) => (chart.status === 1 ? [least, most] : options.axis.now);
    else if (options.x?.log) {
      x.distr = 3;
      x.range = (_, least, most) => (least === null ? [1, 10] : [least, most]);
    } else {
      x.range = (_, least, most) => (least === null ? [0, 1] : least === most ? [least - 1, most + 1] : [least, most]);
    }
    const y = { range: yRange(options) };
    if (options.logarithmic || options.heat) y.distr = 3;
    return { x, y };
  }

  // logTicks are round numbers of a logarithmic axis: as many a decade as there is room for.
  function logTicks(least, most) {
    const decades = Math.log10(most / least);
    const steps = decades < 1 ? [1, 1.5, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : decades < 5 ? [1, 3] : [1];
    const found = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
      for (const step of steps) {
        const value = step * 10 ** power;
        if (value >= least && value <= most) found.push(value);
      }
    }
    return found;
  }

  function axesOf(options) {
    const grid = { stroke: theme.colour('grid'), width: 1 };
    const ticks = { stroke: theme.colour('grid'), width: 1, size: 5 };
    const shared = { stroke: theme.colour('ink-soft'), font, grid, ticks };
    const text = options.axis ? clock : options.x?.text || ((value) => format(value, options.x?.unit || 'count', true));
    const x = {
      ...shared, size: 32, space: 70,
      values: (_, splits) => splits.map((value) => (value === null ? '' : text(value))),
    };
    if (options.x?.label) Object.assign(x, { label: options.x.label, labelSize: 20, labelFont: font });
    if (options.x?.ticks) Object.assign(x, { splits: () => options.x.ticks, filter: (_, splits) => splits });
    const y = options.logarithmic || options.heat
      ? { splits: (_, at, least, most) => logTicks(least, most), filter: (_, splits) => splits } : {};
    return [x, {
      ...shared, ...y, size: 74, space: options.small ? 30 : 40,
      values: (_, splits) => splits.map((value) => (value === null ? '' : format(value, options.unit, true))),
    }];
  }

  function seriesOf(options) {
    return [{}, ...options.lines.map((line) => ({
      label: line.label, show: !options.legend.hidden.has(line.label), stroke: colourOf(line.colour || 0),
      width: line.width || 1.5, dash: dashes[(line.dash || 0) % dashes.length],
      points: { show: Boolean(line.points), size: 7, fill: colourOf(line.colour || 0) },
    }))];
  }

  function dataOf(options) {
    if (options.heat) return [options.heat.x, options.heat.x.map(() => null)];
    return options.lines.length === 1
      ? [options.lines[0].x, options.lines[0].y]
      : uPlot.join(options.lines.map((line) => [line.x, line.y]));
  }

  // said is what stands under the cursor: the instant, and the value of each line.
  function said(options, x) {
    const head = options.axis ? clock(x) : (options.x?.text || ((v) => format(v, options.x?.unit || 'count')))(x);
    if (options.heat) return [[head, null, null]];
    const rows = [[head, null, null]];
    for (const line of options.lines) {
      if (options.legend.hidden.has(line.label)) continue;
      const value = valueAt(line, x, stepOf(line));
      if (value !== null && value !== undefined) rows.push([line.label, format(value, options.unit), line]);
    }
    return rows;
  }

  function saidOfHeat(options, chart, x) {
    const { heat } = options;
    let column = nearest(heat.x, x - 1e-9) + 1;
    if (column >= heat.x.length || x < heat.x[column] - heat.widths[column]) return [];
    const y = chart.posToVal(chart.cursor.top, 'y');
    const cell = heat.cells[column];
    for (let i = 1; i < cell.length; i++) {
      const bucket = cell[0] + i - 1;
      if (y >= heat.bounds[bucket] && y < heat.bounds[bucket + 1]) {
        return [[`${format(heat.bounds[bucket], 'µs')} to ${format(heat.bounds[bucket + 1], 'µs')}`,
          format(cell[i], 'operations'), null]];
      }
    }
    return [];
  }

  function chart(options) {
    options = { height: 240, marks: [], lines: [], ...options };
    const own = !options.legend;
    options.legend ||= legend(options.lines);
    const tip = el('div', { class: 'tip', role: 'status' });
    const host = el('div', {
      class: 'plot', tabindex: '0', role: 'group', 'aria-label': options.title +
        '. Arrow keys move the cursor, plus and minus zoom, 0 shows all.',
    });
    const figure = el('figure', { class: options.small ? 'chart small' : 'chart' },
      el('figcaption', { text: options.title }),
      options.note && el('p', { class: 'note', text: options.note }), host,
      own && options.lines.length > 1 && options.legend.element);
    host.style.height = options.height + 'px';
    mongobench.bindPlot(host, tip, options, {
      make: () => {
        const made = new uPlot({
          width: Math.max(200, host.clientWidth), height: options.height, legend: { show: false },
          scales: scalesOf(options), axes: axesOf(options), series: options.heat
            ? [{}, { paths: () => null, auto: false, points: { show: false } }] : seriesOf(options),
          padding: [8, 12, 0, 0],
          cursor: {
            y: Boolean(options.heat), points: { show: !options.heat, size: 6 },
            drag: { x: Boolean(options.axis), y: false, setScale: Boolean(options.axis) },
            ...(options.axis && { sync: {
              key: options.axis.key, setSeries: false, scales: ['x', null],
              filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
            } }),
            bind: { dblclick: () => () => { options.axis?.reset(); return null; } },
          },
          hooks: {
            drawClear: [(u) => { paintBands(u, options.marks); mongobench.paintLevels(u, options); }],
            draw: [(u) => {
              if (options.heat) paintHeat(u, options.heat);
              paintInstants(u, options.marks, !options.small);
            }],
            setScale: [(u, key) => {
              if (key === 'x' && options.axis && u.status === 1) options.axis.show(u.scales.x.min, u.scales.x.max);
            }],
            setCursor: [(u) => host.tell(u)],
          },
        }, dataOf(options), host);
        host.append(tip);
        return made;
      },
      said: (u, x) => said(options, x).concat(options.heat ? saidOfHeat(options, u, x) : []),
    });
    all.add(host);
    drawn.observe(host);
    sized.observe(host);
    return figure;
  }

  Object.assign(mongobench, { timeAxis, legend, chart, colourOf, variableOf, charts: present });
})();
