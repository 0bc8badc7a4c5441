// Draws the page of a suite from the SuiteData of suite.go: verdicts, what differs, the runs of one figure at a time
// with scaling and history, and every run by its name. It works out no statistics; texts are those of -o text.
(() => {
  'use strict';
  const { el, section, table, choice, facts, bar, suiteCharts } = window.mongobench;
  const data = window.mongobench.data();
  const chosen = { figure: firstFigure(), variants: '', verdict: '', words: '', reference: '' };

  // choose keeps a choice of the reader, and draws by it.
  const choose = (what, draw) => (value) => {
    chosen[what] = value;
    draw();
  };

  const signs = {
    Regressed: '✖', Improved: '✔', Inconclusive: '?', NotDetected: '~', NotWorse: '≥', Unchanged: '=',
  };
  const has = (text, part) => text.toLowerCase().includes(part.trim().toLowerCase());
  const isShown = (variant) => has(data.variants[variant].name, chosen.variants);
  const { nameOf } = suiteCharts;
  const fullName = (key) => [nameOf(key), key.step && `step ${key.step}`, key.operation && `operation ${key.operation}`]
    .filter(Boolean).join(', ');
  const isSame = (a, b) => ['metric', 'step', 'operation'].every((part) => (a[part] || '') === (b[part] || ''));

  // The first figure that anything is said about is the one that is looked for.
  function firstFigure() {
    const line = data.lines.find((one) => one.figure >= 0);
    return line ? line.figure : data.figures.length ? 0 : -1;
  }

  function search(id, label, act) {
    return el('label', { class: 'search', for: id }, label + ' ',
      el('input', { id, type: 'search', oninput: (event) => act(event.target.value) }));
  }

  // The summary -------------------------------------------------------------------------------------------------------

  function summary() {
    const runs = data.variants.reduce((sum, variant) => sum + variant.runs.length, 0);
    const doubtful = data.variants.flatMap((variant) => variant.runs.filter((run) => run.doubts)).length;
    return el('div', {},
      el('h1', { text: `Suite ${data.suite}` }), el('p', { class: 'lead', text: `revision ${data.revision}` }),
      facts([
        ...(data.tried ? [] : [
          ['Verdict', data.verdict ? `${signs[data.verdict]} ${data.verdict}` : 'nothing was compared'],
          ['Lines', data.verdicts || 'none'],
        ]), ...(data.told || []),
        ['Variants', String(data.variants.length)],
        ['Runs', `${runs}, ${doubtful} of them in doubt`],
      ]),
      data.notes.map((note) => el('p', { class: 'note', text: note })));
  }

  // The comparison ----------------------------------------------------------------------------------------------------

  // limits are what the lines were judged by.
  function limits() {
    if (!data.limits) return [];
    return [table(data.limits), el('p', { class: 'note', text: data.ignored
      ? `Runs may differ in ${data.ignored.join(', ')}: the suite ignores it by name.`
      : 'The suite ignores no difference of the fingerprint.' })];
  }

  const lineColumns = [
    { name: 'Variant' }, { name: 'Verdict' }, { name: 'Against' }, { name: 'Step' }, { name: 'Operation' },
    { name: 'Metric' }, { name: 'Baseline', number: true }, { name: 'Median', number: true },
    { name: 'Change', number: true, title: 'In percent of the baseline: the Hodges-Lehmann estimate' },
    { name: 'Interval', number: true, title: 'Of the change, with the confidence that the suite asks for' },
    { name: 'Samples', number: true, title: 'Runs of the baseline / of the variant' },
    { name: 'Why' }, { name: 'Fingerprint differs in' },
  ];

  function lineCells(line) {
    return [
      line.variant, [`${signs[line.verdict]} ${line.verdict}`, line.verdict], line.baseline, line.step || '-',
      line.operation || '-', nameOf(line),
      [line.baselineText, line.baselineMedian ?? null], [line.medianText, line.median ?? null],
      [line.changeText, line.effectBasisPoints === undefined ? null : line.effectBasisPoints / 100],
      [line.intervalText, line.intervalText], [line.samplesText, line.samplesText],
      line.message || '-', line.differs,
    ];
  }

  function comparison() {
    const body = el('div');
    function fill() {
      const words = (line) => ['variant', 'baseline', 'step', 'operation', 'metric', 'message']
        .map((part) => line[part] || '').concat(nameOf(line)).join(' ');
      const lines = data.lines.filter((line) => (!chosen.verdict || line.verdict === chosen.verdict) &&
        has(words(line), chosen.words));
      const drawn = lines.filter((line) => line.effectBasisPoints !== undefined);
      body.replaceChildren(
        table({ caption: 'Lines of the comparison', columns: lineColumns, rows: lines.map(lineCells) }),
        drawn.length ? suiteCharts.changes(drawn) : el('p', { text: 'No line has a change in numbers.' }));
    }
    fill();
    const verdicts = Object.keys(signs).filter((name) => data.lines.some((line) => line.verdict === name));
    return section('comparison', 'Comparison', el('div', { class: 'controls' },
      choice('Verdict', [['', 'All'], ...verdicts.map((name) => [name, name])], '', choose('verdict', fill)),
      search('filter-lines', 'Lines with', choose('words', fill))), body, limits());
  }

  // searched is what a search found, and by what.
  function searched() {
    return section('search', 'Search', el('p', { class: 'lead', text: data.search }), table(data.tried),
      el('p', { text: 'The constraint is the one that a variant keeps by the least. A variant that keeps all of them ' +
        'speaks for all that are larger, one that breaks them for all that are smaller.' }));
  }

  function differences() {
    return section('differences', 'What differs in the fingerprint',
      el('p', { text: 'A difference is declared when the specifications of both sides explain it. One that is not ' +
        'makes the lines of the pair Inconclusive, unless the suite ignores the field by name.' }),
      data.unknown && el('p', { text: `The runs of ${data.unknown.join(', ')} are not in this result; of their ` +
        'fingerprints it says what is said in Why.' }),
      data.differences.rows.length ? table(data.differences) : el('p', { text: 'Nothing that is known.' }));
  }

  // One figure --------------------------------------------------------------------------------------------------------

  function medians(figure) {
    const rows = data.variants.map((variant, at) => [variant.name, figure.variants[at]])
      .filter((_, at) => isShown(at))
      .map(([name, values]) => [
        name, values.values.filter((value) => value !== null).length, [values.medianText || '-', values.median ?? null],
        [values.intervalText || '-', values.intervalText || null], values.confidenceText || '-',
      ]);
    return table({ caption: 'Medians', rows, columns: [
      { name: 'Variant' }, { name: 'Runs', number: true }, { name: 'Median', number: true },
      { name: 'Interval', number: true }, { name: 'Confidence', number: true },
    ] });
  }

  const usualReference = (metric) =>
    (metric.endsWith('PerSecond') ? 'n' : metric.endsWith('Micros') ? '1/n' : 'none');

  function growth(figure) {
    if (!figure.growthOf) return null;
    return el('div', {}, el('h3', { text: 'Growth' }), suiteCharts.growth(figure, isShown));
  }

  function scaling(figure) {
    if (!data.scales.length) return null;
    const body = el('div');
    function fill(reference) {
      body.replaceChildren(...data.scales.map((scale) => suiteCharts.scale(figure, scale, reference, isShown)));
    }
    const reference = usualReference(figure.metric);
    fill(reference);
    return el('div', {}, el('h3', { text: 'Scaling' }),
      choice('Reference line', [['n', 'n'], ['1/n', '1/n'], ['none', 'None']], reference, fill), body);
  }

  function changePoints() {
    const rows = data.history.series.flatMap((series) => series.changes.map((change) => {
      const { revision, time } = data.history.revisions[change.index];
      return [revision, time, series.variant, series.step || '-', series.operation || '-', nameOf(series),
        [change.changeText, change.basisPoints / 100]];
    }));
    const by = el('p', { class: 'note', text: data.limits ? 'By the thresholds of the suite.'
      : 'By the usual limits, 5 % at 95 % confidence.' });
    if (!rows.length) return [by, el('p', { text: 'No figure has a change point.' })];
    return [by, table({ caption: 'Change points of all figures', rows, columns: [
      { name: 'Since revision' }, { name: 'Complete' }, { name: 'Variant' }, { name: 'Step' }, { name: 'Operation' },
      { name: 'Metric' }, { name: 'Change', number: true },
    ] })];
  }

  function history(figure) {
    if (!data.history) return null;
    const series = data.history.series.filter((one) => isSame(one, figure) && has(one.variant, chosen.variants));
    return el('div', {}, el('h3', { text: 'History' }),
      series.length ? suiteCharts.history(figure, series)
        : el('p', { text: 'The history has no such figure of these variants.' }));
  }

  function open(run) {
    chosen.run = run;
    refill();
    document.getElementById('runs').scrollIntoView();
  }

  const runRows = () => data.variants.flatMap((variant, at) => (isShown(at) ? variant.runs.map((run, place) => {
    const figure = data.figures[chosen.figure];
    const value = figure ? figure.variants[at].values[place] : null;
    return [run.name, variant.name, run.repetition,
      value === null ? '-' : [value.toLocaleString('en-US'), value], run.doubts || '-'];
  }) : []));

  const body = el('div');
  const runs = el('div');
  const select = el('select', { id: 'figure', onchange: () => {
    chosen.figure = Number(select.value);
    refill();
  } }, data.figures.map((figure, at) => el('option', { value: at, text: fullName(figure) })));

  function refill() {
    select.value = chosen.figure;
    const figure = data.figures[chosen.figure];
    if (!figure) return body.replaceChildren(el('p', { text: 'No run has any figure.' }));
    body.replaceChildren(...[suiteCharts.dots(figure, isShown, open), medians(figure), growth(figure),
      scaling(figure), history(figure)].filter(Boolean));
    const rows = runRows();
    // The run that was chosen in the chart comes first.
    rows.sort((a, b) => (b[0] === chosen.run) - (a[0] === chosen.run));
    return runs.replaceChildren(table({ caption: 'All runs', rows, columns: [
      { name: 'Run' }, { name: 'Variant' }, { name: 'Repetition', number: true },
      { name: nameOf(figure) + (figure.unit ? ` in ${figure.unit}` : ''), number: true }, { name: 'In doubt' },
    ] }));
  }

  // -------------------------------------------------------------------------------------------------------------------

  refill();
  bar(`Suite ${data.suite}`, [data.tried ? ['search', 'Search'] : ['comparison', 'Comparison'],
    ['differences', 'Differences'], ['figures', 'Repetitions'],
    data.history || data.revisions ? ['changepoints', 'Revisions'] : null, ['runs', 'Runs']].filter(Boolean));
  document.getElementById('content').append(...[
    summary(), data.tried ? searched() : comparison(), differences(),
    section('figures', 'Repetitions', el('p', { text: 'A dot is a run, a hollow one a run in doubt. The upright bar ' +
      'is the median, the line its interval with the confidence that the table says: that of the threshold, or less ' +
      'where there are too few runs. A triangle is the median that a variant is compared with.' }),
    el('div', { class: 'controls' }, el('label', { for: 'figure' }, 'Figure ', select),
      search('filter-variants', 'Variants with', choose('variants', refill))), body),
    data.history || data.revisions ? section('changepoints', 'Revisions', data.revisions ? table(data.revisions) : null,
      data.history ? [el('h3', { text: 'Change points' }), changePoints()] : null) : null,
    section('runs', 'Runs', el('p', { text: 'kubectl mongobench report RUN writes the whole report of a run, as long ' +
      'as the run is kept.' }), runs),
  ].filter(Boolean));
})();
