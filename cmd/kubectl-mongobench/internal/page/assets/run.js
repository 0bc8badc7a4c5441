// Draws the page of a run, or of several laid over each other, from the JSON in #data, which data.go describes. It works
// out nothing but places: figures come from Go, as numbers and as the texts of the other forms.
(() => {
  'use strict';
  const mongobench = window.mongobench;
  const { el, section, table, facts, chart, timeAxis, legend, choice, bar, clock } = mongobench;
  const data = mongobench.data();
  const several = data.runs.length > 1;
  const percentiles = data.percentiles;
  const measured = data.steps.map((step) => step.name);
  const allOperations = 'all operations';

  // What is looked at: a step or the whole run, and an operation or all.
  const view = { step: '', operation: '' };
  // Each of these draws a part again for what is looked at.
  const redraw = [];

  function look(change) {
    Object.assign(view, change);
    redraw.forEach((part) => part());
    // What was drawn before is let go of.
    mongobench.charts();
  }

  // Places in time ----------------------------------------------------------------------------------------------------

  const stepsOf = (run) => run.steps.filter((step) => !view.step || step.name === view.step);

  // Runs lie over each other from their begin on, or from that of the step's measure window.
  function shiftOf(run) {
    const step = view.step && run.steps.find((one) => one.name === view.step);
    return step ? step.measure : 0;
  }

  function reach() {
    let from = 0;
    let to = 1;
    for (const run of data.runs) {
      for (const step of stepsOf(run)) {
        from = Math.min(from, step.from - shiftOf(run));
        to = Math.max(to, step.to - shiftOf(run));
      }
    }
    const edge = (to - from) * 0.01;
    return [from - edge, to + edge];
  }

  function marksOf(run) {
    return run.marks.map((mark) => ({
      ...mark, at: mark.at - shiftOf(run), to: mark.to === undefined ? undefined : mark.to - shiftOf(run),
      label: several ? run.name + ': ' + mark.label : mark.label,
    }));
  }

  // Of several runs the stretches would lie over each other, and only instants are shown.
  const marks = () => data.runs.flatMap(marksOf).filter((mark) => !several || mark.to === undefined);

  // over is a line through the points of all steps, with a gap between two of them.
  function over(run, pick) {
    const x = [];
    const y = [];
    for (const step of stepsOf(run)) {
      const values = pick(step);
      if (!values || !values.length) continue;
      const begin = step.measure - shiftOf(run);
      values.forEach((value, i) => {
        x.push(begin + Math.min((i + 1) * step.joined, step.whole) * step.interval);
        y.push(value);
      });
      x.push(x[x.length - 1] + 0.001);
      y.push(null);
    }
    return { x, y };
  }

  const seriesOf = (step, name) => (name ? step.operations.find((one) => one.name === name) : step.all);
  const nameOf = (run, text) => (several ? run.name + ': ' + text : text);
  const filled = (lines) => lines.filter((line) => line.x.length);

  function operationNames() {
    const names = new Set();
    for (const run of data.runs) for (const step of stepsOf(run)) step.operations.forEach((one) => names.add(one.name));
    return [...names];
  }

  // Over time ---------------------------------------------------------------------------------------------------------

  function rateLines(what) {
    if (several) {
      return filled(data.runs.map((run, i) => ({
        label: run.name, colour: i, width: 2, ...over(run, (step) => seriesOf(step, view.operation)?.[what]),
      })));
    }
    const run = data.runs[0];
    const one = (name, colour, width) => ({
      label: name || allOperations, colour, width, ...over(run, (step) => seriesOf(step, name)?.[what]),
    });
    if (view.operation) return filled([one(view.operation, 0, 2)]);
    const names = operationNames();
    return filled([one('', 0, 2), ...(names.length > 1 ? names.map((name, i) => one(name, i + 1, 1.25)) : [])]);
  }

  function latencyLines() {
    return filled(data.runs.flatMap((run, i) => percentiles.map((name, p) => ({
      label: nameOf(run, name), colour: several ? i : p, dash: several ? [1, 2, 0, 3][p % 4] : 0,
      hidden: several && name !== 'p50' && name !== 'p99',
      ...over(run, (step) => seriesOf(step, view.operation)?.percentiles?.[p]),
    }))));
  }

  // add adds the counts of two cells, which are [first bucket, counts...].
  function add(a, b) {
    if (a.length < 2) return b;
    if (b.length < 2) return a;
    const first = Math.min(a[0], b[0]);
    const sum = new Array(Math.max(a[0] + a.length, b[0] + b.length) - first).fill(0);
    sum[0] = first;
    for (const cell of [a, b]) for (let i = 1; i < cell.length; i++) sum[cell[0] - first + i] += cell[i];
    return sum;
  }

  function heatOf(run) {
    const heat = { x: [], widths: [], cells: [], bounds: data.bounds };
    for (const step of stepsOf(run)) {
      const chosen = view.operation ? [seriesOf(step, view.operation)]
        : step.operations.filter((one) => !one.partOf);
      const columns = chosen.map((one) => one?.heat).filter(Boolean);
      if (!columns.length) continue;
      const begin = step.measure - shiftOf(run);
      columns[0].forEach((_, i) => {
        const from = Math.min(i * step.heatJoined, step.whole);
        const to = Math.min((i + 1) * step.heatJoined, step.whole);
        heat.x.push(begin + to * step.interval);
        heat.widths.push((to - from) * step.interval);
        heat.cells.push(columns.map((cells) => cells[i]).reduce(add, []));
      });
    }
    return heat;
  }

  function heatKey() {
    const spans = Array.from({ length: 8 }, (_, i) => {
      const span = el('span');
      span.style.background = `var(--heat-${i})`;
      return span;
    });
    return el('p', { class: 'note' }, 'Operations of an interval with this latency: few',
      el('span', { class: 'heat-key', 'aria-hidden': 'true' }, spans), 'many, in steps of a logarithm.');
  }

  function panelLines(panel) {
    return panel.lines.map((line) => {
      const run = data.runs[line.run];
      const x = line.values.map((_, i) => Math.min(line.at + i * line.step, line.end) - shiftOf(run));
      return { label: nameOf(run, line.label), colour: line.colour, dash: line.run, x, y: line.values };
    });
  }

  function panels(axis) {
    if (!data.panels.length) return [];
    const labels = new Map();
    const drawn = data.panels.map((panel) => ({ ...panel, lines: panelLines(panel) }));
    for (const panel of drawn) if (!panel.own) panel.lines.forEach((line) => labels.set(line.label, line));
    const shared = legend([...labels.values()]);
    const groups = [...new Set(drawn.map((panel) => panel.group))];
    return [
      el('h3', { id: 'servers', text: 'Servers' }),
      el('p', { class: 'note', text: 'Under the same time axis as above. A rate stands at the end of the time that it is of. ' +
        'A gap is a sample that is not known.' }),
      shared.element,
      ...groups.flatMap((group) => [
        el('h4', { text: group }),
        el('div', { class: 'panels' }, drawn.filter((panel) => panel.group === group).map((panel) => chart({
          title: panel.title, unit: panel.unit, lines: panel.lines, axis, small: true, height: 170,
          marks: marks(), legend: panel.own ? undefined : shared,
        }))),
      ]),
    ];
  }

  // What the marks of the charts stand for, of those that there are.
  const kinds = [
    ['step', 'measured step'], ['warmup', 'warm-up'], ['checkpoint', 'checkpoint of any server'],
    ['migration', 'chunks move'], ['action', 'action'], ['election', 'election'], ['restart', 'restart'],
    ['silent', 'a server that did not answer'],
  ];

  function marksKey(here) {
    const shown = kinds.filter(([kind]) => here.some((mark) => mark.kind === kind));
    return shown.length > 0 && el('ul', { class: 'marks', 'aria-label': 'What bands and upright lines in the charts are' },
      shown.map(([kind, text]) => el('li', {}, el('span', { class: 'mark ' + kind, 'aria-hidden': 'true' }), text)));
  }

  function timeCharts() {
    const axis = timeAxis(...reach());
    const here = marks();
    const errors = rateLines('errors').filter((line) => line.y.some((value) => value));
    const latency = latencyLines();
    const heats = data.runs.map((run) => [run, heatOf(run)]).filter(([, heat]) => heat.x.length);
    return [
      el('div', { class: 'controls' }, axis.controls(),
        el('span', { class: 'note', text: 'Drag over a chart to zoom, double-click to see all.' })),
      marksKey(here),
      chart({
        title: 'Throughput' + of(), unit: 'operations/s', lines: rateLines('rate'), axis, marks: here, height: 280,
        note: 'Operations that succeeded.',
      }),
      errors.length && chart({ title: 'Errors' + of(), unit: 'errors/s', lines: errors, axis, marks: here, height: 170 }),
      latency.length && chart({
        title: 'Latency' + of(), unit: 'µs', lines: latency, axis, marks: here, logarithmic: true, height: 280,
        note: 'Percentiles of each interval, read from its own histogram of two buckets an octave: right to 22 %. ' +
          'Those of the tables are of the whole window, and exact to three digits.',
      }),
      ...heats.map(([run, heat]) => chart({
        title: nameOf(run, 'Latency of all requests over time' + of()), unit: 'µs', heat, axis, marks: here, height: 260,
      })),
      heats.length && heatKey(),
      ...panels(axis),
    ].filter(Boolean);
  }

  const of = () => (view.operation ? ' of ' + view.operation : '');

  function operationChoice() {
    const select = el('select', { onchange: () => look({ operation: select.value }) },
      el('option', { value: '', text: allOperations }),
      operationNames().map((name) => el('option', { value: name, text: name, selected: name === view.operation })));
    return el('label', {}, 'Operation ', select);
  }

  function overTime() {
    const body = el('div');
    const operations = el('div');
    const steps = several ? measured.filter((name) => data.runs.every((run) => run.steps.some((s) => s.name === name)))
      : measured;
    const draw = () => {
      if (!operationNames().includes(view.operation)) view.operation = '';
      operations.replaceChildren(operationChoice());
      body.replaceChildren(...timeCharts());
    };
    redraw.push(draw);
    draw();
    return section('time', 'Over time',
      el('div', { class: 'controls' },
        steps.length > 0 && choice(several ? 'Laid over each other from the start of' : 'Show',
          [['', 'the whole run'], ...steps.map((name) => [name, name])], view.step, (step) => look({ step })),
        operations),
      body);
  }

  // Distribution ------------------------------------------------------------------------------------------------------

  const shares = [1, 2, 10, 100, 1000, 10000, 100000, 1000000, 10000000];

  function share(x) {
    const percent = 100 - 100 / x;
    return (percent >= 99.99 ? percent.toFixed(Math.min(6, Math.ceil(Math.log10(x)) - 2)) : +percent.toFixed(2)) + ' %';
  }

  function distributionLines(name) {
    const lines = [];
    data.runs.forEach((run, r) => {
      const step = run.steps.find((one) => one.name === name);
      (step?.distributions || []).forEach((one, i) => {
        if (several ? one.name !== (view.operation || '') : view.operation && one.name !== view.operation) return;
        lines.push({
          label: nameOf(run, (one.name || allOperations) + (one.time ? ', ' + one.time : '')),
          colour: several ? r : i, dash: one.time === 'service time' ? 1 : 0, width: one.name ? 1.5 : 2,
          x: data.levels.slice(0, one.values.length), y: one.values,
        });
      });
    });
    return lines;
  }

  function distributions() {
    const body = el('div');
    const draw = () => {
      const names = view.step ? [view.step] : measured;
      body.replaceChildren(...names.flatMap((name) => {
        const lines = distributionLines(name);
        const longest = Math.max(1, ...lines.map((line) => line.x[line.x.length - 1]));
        return lines.length ? [chart({
          title: `Step ${name}: latency by percentile` + of(), unit: 'µs', lines, logarithmic: true, height: 300,
          x: { log: true, text: share, label: 'percentile', ticks: shares.filter((one) => one <= longest) },
        })] : [];
      }));
    };
    redraw.push(draw);
    draw();
    return section('distribution', 'Distribution of the latency',
      el('p', { class: 'note', text: 'From the histograms of the whole measure window. To the right the axis gives as much room to ' +
        'each further nine of the percentile; a line ends at the slowest operation.' }), body);
  }

  // The rest ----------------------------------------------------------------------------------------------------------

  function plots(all) {
    return all.map((plot) => chart({
      title: plot.title, unit: plot.unit, logarithmic: plot.logarithmic, height: 260,
      x: plot.timed ? { text: clock, label: plot.x } : { unit: 'count', label: plot.x },
      band: plot.band, levels: plot.levels, marks: plot.marks || [], range: plot.range,
      lines: plot.lines.map((line, i) => ({
        label: line.label, x: line.x, y: line.y, colour: plot.band ? 0 : i, width: line.thin ? 0.75 : undefined,
        points: !plot.timed || line.x.length < 2,
      })),
    }));
  }

  function trust() {
    return section('trust', 'Whether to believe it', data.runs.map((run) => el('div', { class: 'trust ' + run.trust.verdict },
      el('strong', { text: nameOf(run, run.trust.text) }),
      run.trust.doubts && el('ul', {}, run.trust.doubts.map((doubt) => el('li', {},
        el('b', { text: doubt.reason }), ': ' + doubt.message))),
      run.trust.notes && el('ul', {}, run.trust.notes.map((text) => el('li', { text }))))));
  }

  function setup() {
    return section('setup', 'What was run, and on what',
      several ? table(data.setup) : facts(data.runs[0].facts),
      data.runs.map((run) => run.warnings && [
        el('h3', { text: nameOf(run, 'Warnings of the server at its start') }),
        el('ul', {}, run.warnings.map((text) => el('li', { text }))),
      ]).flat());
  }

  function stepPart(step) {
    return [
      el('h3', { text: 'Step ' + step.name }),
      step.tables.map((one) => table(one)),
      step.failures && el('ul', { class: 'failures' }, step.failures.map((text) => el('li', { text }))),
      el('div', { class: 'sides' }, step.facts.map((one) => el('div', {},
        several && el('h4', { text: data.runs[one.run].name }), facts(one.facts)))),
    ].flat();
  }

  function results() {
    return section('results', 'Results',
      data.tiles && el('div', { class: 'tiles' }, data.tiles.map((tile) => el('div', { class: 'tile' },
        el('div', { class: 'what', text: tile.what }), el('div', { class: 'figure' }, tile.figure,
          tile.unit && [' ', el('span', { class: 'unit', text: tile.unit })]),
        el('div', { class: 'more', text: tile.more })))),
      data.overview && table(data.overview), data.steps.flatMap(stepPart),
      data.events && [el('h3', { text: 'What happened' }), table(data.events)]);
  }

  // more is a section of plots and tables, or nothing; the tables come first where they have the answer.
  function more(id, part, answered) {
    if (!part) return null;
    const tables = (part.tables || []).map((one) => table(one));
    return section(id, part.title, part.note && el('p', { class: 'note', text: part.note }),
      answered && tables, plots(part.plots || []), !answered && tables);
  }

  function notes() {
    return section('notes', 'How to read this page', el('ul', {}, data.notes.map((text) => el('li', { text }))),
      data.still && el('details', {}, el('summary', { text: 'Figures of the servers that did not change' }), table(data.still)));
  }

  const parts = [
    ['trust', 'Trust', trust()], ['setup', 'Setup', setup()],
    ['comparison', 'Comparison', more('comparison', data.comparison)],
    ['duet', 'In turns', more('duet', data.duet, true)], ['results', 'Results', results()],
    ['sweeps', 'Sweeps', more('sweeps', data.sweeps)], ['growth', 'Growth', more('growth', data.growth)],
    ['sizes', 'Storage', more('sizes', data.sizes)],
    ['time', 'Over time', data.timed && overTime()],
    ['distribution', 'Distribution', measured.length > 0 && distributions()],
    ['notes', 'Notes', notes()],
  ].filter(([, , part]) => part);
  bar(data.title, parts.flatMap(([id, text]) => (id === 'time' && data.panels.length
    ? [[id, text], ['servers', 'Servers']] : [[id, text]])));
  document.getElementById('content').append(
    el('h1', { text: data.title }), ...data.leads.map((text) => el('p', { class: 'lead', text })),
    ...parts.map(([, , part]) => part));
})();
