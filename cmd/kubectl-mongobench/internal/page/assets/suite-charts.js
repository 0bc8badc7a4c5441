// Charts of a suite. It adds to window.mongobench.suiteCharts:
//
//   nameOf(key)                                 what people call the metric of a figure, line or series
//   changes(lines)                              the changes with their intervals, below one another
//   dots(figure, isShown, open)                 the runs of each variant, with median and interval
//   growth(figure, isShown)                     medians over the documents of a growing collection
//   scale(figure, scale, reference, isShown)    medians over a number, with reference lines
//   history(figure, series)                     medians over the revisions, with change points
//
// The first two charts are SVG, whose colours are those of page.css, so that they are not drawn again when light becomes
// dark. What a point stands for is in its title, and as it was measured in its data-* attributes. To a screen reader
// they are pictures: beside each stands a table that says the same.
(() => {
  'use strict';
  const { el, svg: s, chart, format } = window.mongobench;
  const data = window.mongobench.data();
  const nameOf = ({ metric }) => data.metrics[metric] ?? metric;

  const WIDTH = 960;
  const RIGHT = 24;
  const ROW = 22;

  const line = (x1, y1, x2, y2, attributes) => s('line', { x1, y1, x2, y2, stroke: 'var(--ink-soft)', ...attributes });
  const title = (text) => s('title', {}, text);

  function text(x, y, content, attributes) {
    return s('text', { x, y, fill: 'var(--ink)', 'font-size': 12, ...attributes }, content);
  }

  // A long name is cut in the middle, since variants differ at both ends; the whole is its title.
  function label(x, y, name, most) {
    const half = Math.floor((most - 1) / 2);
    const cut = name.length > most ? `${name.slice(0, half)}…${name.slice(-half)}` : name;
    const made = text(x, y, cut, { 'text-anchor': 'end' });
    made.append(title(name));
    return made;
  }

  function drawing(kind, height, name, ...children) {
    return el('figure', { class: 'chart suite-chart', 'data-chart': kind },
      s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': name }, ...children));
  }

  // steps are round numbers from low to high, about as many as asked for.
  function steps(low, high, count) {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let at = Math.ceil(low / step); at * step <= high + step / 1e6; at++) found.push(at * step);
    return found;
  }

  // axisOf reaches a little beyond the values, and not below 0 where none is.
  function axisOf(values, from, to) {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const room = (most - least) * 0.05 || Math.abs(most) * 0.05 || 1;
    const low = least < 0 ? least - room : Math.max(0, least - room);
    const high = most + room;
    const at = (value) => Math.round(10 * (from + ((value - low) / (high - low)) * (to - from))) / 10;
    return { at, low, high };
  }

  function bottomAxis(axis, height, unit) {
    return steps(axis.low, axis.high, 8).map((value) => [
      line(axis.at(value), 8, axis.at(value), height - 22, { stroke: 'var(--grid)' }),
      text(axis.at(value), height - 6, format(value, unit, true), { 'text-anchor': 'middle' }),
    ]);
  }

  // Changes with their intervals --------------------------------------------------------------------------------------

  const verdictColours = {
    Regressed: 'var(--bad)', Improved: 'var(--good)', Inconclusive: 'var(--mark-action)',
    NotDetected: 'var(--mark-action)', NotWorse: 'var(--ink-soft)', Unchanged: 'var(--ink-soft)',
  };

  // What is further away than this, in percent, is drawn hollow at the edge.
  const FAR = 300;
  const near = (basisPoints) => Math.max(-FAR, Math.min(FAR, basisPoints / 100));

  function change(one, y, left, axis) {
    const at = (basisPoints) => axis.at(near(basisPoints));
    const stroke = verdictColours[one.verdict] || 'var(--ink)';
    const name = [one.variant, nameOf(one), one.step, one.operation].filter(Boolean).join(' · ');
    return s('g', {
      class: 'change', 'data-verdict': one.verdict, 'data-effect': one.effectBasisPoints,
      'data-low': one.lowBasisPoints, 'data-high': one.highBasisPoints,
    }, title(`${name}: ${one.verdict}, ${one.changeText} (${one.intervalText})`), label(left - 10, y + 4, name, 68),
    one.lowBasisPoints === undefined ? null
      : line(at(one.lowBasisPoints), y, at(one.highBasisPoints), y, { stroke, 'stroke-width': 3 }),
    s('circle', {
      cx: at(one.effectBasisPoints), cy: y, r: 5, stroke, 'stroke-width': 1.5,
      fill: Math.abs(one.effectBasisPoints) > FAR * 100 ? 'var(--paper)' : stroke,
    }));
  }

  function changes(lines) {
    const left = 480;
    const height = lines.length * ROW + 40;
    const ends = lines.flatMap((one) => [one.effectBasisPoints, one.lowBasisPoints ?? 0, one.highBasisPoints ?? 0]);
    const axis = axisOf([-1, 1, ...ends.map(near)], left, WIDTH - RIGHT);
    return drawing('changes', height, 'Changes with their intervals, in percent of the baseline; the table has the numbers',
      bottomAxis(axis, height, '%'), line(axis.at(0), 8, axis.at(0), height - 22, { stroke: 'var(--ink)' }),
      lines.map((one, index) => change(one, 20 + index * ROW, left, axis)));
  }

  // Repetitions -------------------------------------------------------------------------------------------------------

  // baselines are the lines with a median that a figure of a variant is compared with.
  function baselines(figure, variant) {
    const index = data.figures.indexOf(figure);
    return data.lines.filter((one) => one.figure === index && one.variant === data.variants[variant].name &&
      one.baselineMedian !== undefined);
  }

  function dotRow(figure, variant, y, at, open) {
    const values = figure.variants[variant];
    const { name, runs } = data.variants[variant];
    const unit = figure.unit;
    return s('g', { class: 'variant', 'data-variant': name },
      label(232, y + 4, name, 34),
      values.low === undefined ? null : s('g', { class: 'interval', 'data-low': values.low, 'data-high': values.high },
        title(`${name}: median between ${values.intervalText}, confidence ${values.confidenceText}`),
        line(at(values.low), y, at(values.high), y, { stroke: 'var(--line-0)', 'stroke-width': 3, opacity: 0.5 })),
      values.median === undefined ? null : s('g', { class: 'median', 'data-value': values.median },
        title(`${name}: median ${values.medianText}`),
        line(at(values.median), y - 8, at(values.median), y + 8, { stroke: 'var(--line-0)', 'stroke-width': 3 })),
      baselines(figure, variant).map((one) => s('path', { class: 'baseline', 'data-value': one.baselineMedian,
        d: `M${at(one.baselineMedian)} ${y + 4}l-5 7h10z`, fill: 'var(--ink)' },
      title(`${one.baseline}: median ${one.baselineText}`))),
      runs.map((run, place) => (values.values[place] === null ? null : s('circle', {
        class: 'dot', 'data-run': run.name, 'data-value': values.values[place],
        cx: at(values.values[place]), cy: y, r: 4,
        fill: run.doubts ? 'var(--paper)' : 'var(--line-0)', stroke: 'var(--line-0)', 'stroke-width': 1.5,
        'fill-opacity': run.doubts ? 1 : 0.6, cursor: 'pointer', onclick: () => open(run.name),
      }, title(`${run.name}: ${values.values[place].toLocaleString('en-US')} ${unit}` +
        (run.doubts ? `, in doubt: ${run.doubts}` : ''))))));
  }

  function dots(figure, isShown, open) {
    const rows = data.variants.map((_, index) => index).filter(isShown);
    const values = rows.flatMap((row) => [
      ...figure.variants[row].values.filter((value) => value !== null),
      ...baselines(figure, row).map((one) => one.baselineMedian),
    ]);
    if (!values.length) return el('p', { text: 'No run of these variants has the figure.' });
    const height = rows.length * ROW + 48;
    const axis = axisOf(values, 250, WIDTH - RIGHT);
    return drawing('dots', height, `Repetitions of ${nameOf(figure)} with medians; the tables below have the numbers`,
      bottomAxis(axis, height, figure.unit || 'count'),
      rows.map((variant, index) => dotRow(figure, variant, 22 + index * ROW, axis.at, open)));
  }

  // Over a number, and over revisions ---------------------------------------------------------------------------------

  // The points of a curve that have a median.
  function pointsOf(figure, curve, isShown) {
    return curve.points.filter((point) => isShown(point.variant) && figure.variants[point.variant].median !== undefined)
      .map((point) => ({ x: point.x, y: figure.variants[point.variant].median }));
  }

  // idealOf is what each number would have, were the figure proportional to it or to its inverse, through the first
  // point. Between two points of 1/n lies a curve, so that it has more points than were measured.
  function idealOf(points, kind) {
    const [first, last] = [points[0], points[points.length - 1]];
    if (kind === 'none' || !(first.x > 0)) return [];
    if (kind === 'n') return [first, { x: last.x, y: first.y * last.x / first.x }];
    const between = Array.from({ length: 61 }, (_, i) => first.x + (last.x - first.x) * i / 60);
    return between.map((x) => ({ x, y: first.y * first.x / x }));
  }

  // over is a chart of medians over something.
  const over = (figure, title, options) =>
    chart({ title: `${nameOf(figure)} ${title}`, unit: figure.unit || 'count', height: 320, ...options });

  const lineOf = (points, more) => ({ x: points.map((point) => point.x), y: points.map((point) => point.y), ...more });

  function growth(figure, isShown) {
    const grown = data.figures.filter((one) => one.growthOf === figure.growthOf && one.metric === figure.metric &&
      one.operation === figure.operation).sort((a, b) => a.documents - b.documents);
    const [first, last] = [grown[0].documents, grown[grown.length - 1].documents];
    return over(figure, `of ${figure.growthOf} over the documents`, {
      note: 'Points are medians over the runs of a variant, at the checkpoints of the growth.',
      x: { label: 'documents', log: last >= 10 * first, ticks: grown.map((one) => one.documents) },
      lines: data.variants.map((variant, at) => {
        const points = grown.filter((one) => one.variants[at].median !== undefined)
          .map((one) => ({ x: one.documents, y: one.variants[at].median }));
        return lineOf(isShown(at) ? points : [], { label: variant.name, colour: at, points: true });
      }).filter((line) => line.x.length),
    });
  }

  function scale(figure, number, reference, isShown) {
    const curves = number.curves.map((curve) => ({ name: curve.name, points: pointsOf(figure, curve, isShown) }))
      .filter((curve) => curve.points.length > 1);
    if (!curves.length) return el('p', { text: `No curve of these variants over ${number.path} has the figure.` });
    const ideals = curves.map((curve, index) => ({ curve, index, points: idealOf(curve.points, reference) }))
      .filter((ideal) => ideal.points.length);
    const also = number.with.length ? `It changes together with ${number.with.join(', ')}. ` : '';
    return over(figure, `over ${number.path}${number.unit ? ` in ${number.unit}` : ''}`, {
      note: also + 'Points are medians' + (ideals.length ? `; dashed is what is proportional to ${reference}.` : '.'),
      x: {
        label: number.path + (number.unit ? ` (${number.unit})` : ''), text: String,
        ticks: [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort((a, b) => a - b),
      },
      lines: [
        ...curves.map((curve, index) => lineOf(curve.points, { label: curve.name, colour: index, points: true })),
        ...ideals.map(({ curve, index, points }) => lineOf(points,
          { label: `${curve.name}, proportional to ${reference}`, colour: index, dash: 1, width: 1 })),
      ],
    });
  }

  function history(figure, some) {
    const { revisions } = data.history;
    const name = (index) => revisions[index]?.revision.slice(0, 10) || '';
    const every = Math.ceil(revisions.length / 12);
    return over(figure, 'over the revisions', {
      note: 'Points are medians over the runs of a variant; a mark is a change point.',
      x: { text: name, ticks: revisions.map((_, index) => index).filter((index) => index % every === 0) },
      lines: some.map((one, index) => lineOf(
        one.values.map((y, x) => ({ x, y })).filter((point) => point.y !== null),
        { label: one.variant, colour: index, points: true })),
      marks: some.flatMap((one) => one.changes.map((change) => ({
        at: change.index, kind: 'action', label: `${one.variant} ${change.changeText}`,
      }))).sort((a, b) => a.at - b.at),
    });
  }

  window.mongobench.suiteCharts = { nameOf, changes, dots, growth, scale, history };
})();
