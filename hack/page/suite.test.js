// The page of a suite: what it draws is what its data say, and it can be filtered, sorted, copied and gone through.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { chartsOf, drawAll, launch, open, pointsOf, tableNamed, tableOf } from './browser.js';

let browser, opened, page, data;
before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => {
  opened = await open(browser, 'suite.html');
  ({ page, data } = opened);
});
afterEach(async () => {
  await opened.context.close();
  assert.deepEqual(opened.problems, []);
  assert.deepEqual(opened.requests, []);
});

const figureNamed = (metric, step, operation) => data.figures.findIndex((one) =>
  one.metric === metric && (one.step || '') === step && (one.operation || '') === operation);

// dots are what the dot plot shows, by the variants.
const dots = () => page.$$eval('[data-chart="dots"] g.variant', (rows) => rows.map((row) => ({
  variant: row.dataset.variant,
  dots: [...row.querySelectorAll('circle.dot')].map((dot) => ({
    run: dot.dataset.run, value: Number(dot.dataset.value), x: Number(dot.getAttribute('cx')),
    hollow: dot.getAttribute('fill') === 'var(--paper)',
  })),
  median: Number(row.querySelector('.median').dataset.value),
  interval: [row.querySelector('.interval').dataset.low, row.querySelector('.interval').dataset.high].map(Number),
})));

function wantDots(figure) {
  return data.variants.map((variant, at) => {
    const values = data.figures[figure].variants[at];
    return {
      variant: variant.name,
      dots: variant.runs.map((run, i) => ({ run: run.name, value: values.values[i], hollow: Boolean(run.doubts) })),
      median: values.median, interval: [values.low, values.high],
    };
  });
}

const withoutPlaces = (rows) => rows.map((row) => ({ ...row, dots: row.dots.map(({ x, ...dot }) => dot) }));

test('every run is a dot at its value, with median and interval', async () => {
  const figure = Number(await page.locator('#figure').inputValue());
  const seen = await dots();
  assert.deepEqual(withoutPlaces(seen), wantDots(figure));
  assert.equal(seen.flatMap((row) => row.dots).length, 200);
  // The places are a linear scale of the values.
  const all = seen.flatMap((row) => row.dots).sort((a, b) => a.value - b.value);
  const [first, last] = [all[0], all[all.length - 1]];
  for (const dot of all) {
    const want = first.x + (last.x - first.x) * (dot.value - first.value) / (last.value - first.value);
    assert.ok(Math.abs(dot.x - want) < 0.2, `${dot.run} is at ${dot.x} and not at ${want}`);
  }
});

test('another figure is drawn when it is chosen', async () => {
  const figure = figureNamed('P99Micros', 'write-heavy', 'update');
  await page.locator('#figure').selectOption(String(figure));
  assert.deepEqual(withoutPlaces(await dots()), wantDots(figure));
  const medians = await tableOf(page, 'Medians');
  assert.deepEqual(medians.map((row) => row[2]), data.figures[figure].variants.map((one) => one.medianText));
  // Charts write a figure as the text does.
  const written = await page.evaluate((all) => all.map((one) => window.mongobench.format(one.median, 'µs')),
    data.figures[figure].variants);
  assert.deepEqual(written, data.figures[figure].variants.map((one) => one.medianText));
});

test('scaling curves go through the medians, and the reference through the first of them', async () => {
  const figure = figureNamed('OperationsPerSecond', 'read-heavy', '');
  await page.locator('#figure').selectOption(String(figure));
  await drawAll(page);
  const title = 'throughput over target.sharded.shards';
  const chart = (await chartsOf(page)).find((one) => one.title === title);
  for (const curve of data.scales[0].curves) {
    const want = curve.points.map((point) => [point.x, data.figures[figure].variants[point.variant].median]);
    assert.deepEqual(pointsOf(chart, curve.name), want);
    const [from, to] = [want[0], want[want.length - 1]];
    assert.deepEqual(pointsOf(chart, `${curve.name}, proportional to n`), [from, [to[0], from[1] * to[0] / from[0]]]);
  }
  await page.getByRole('group', { name: 'Reference line' }).getByRole('button', { name: '1/n' }).click();
  await drawAll(page);
  const inverse = (await chartsOf(page)).find((one) => one.title === title);
  for (const curve of data.scales[0].curves) {
    const median = data.figures[figure].variants[curve.points[0].variant].median;
    for (const [x, y] of pointsOf(inverse, `${curve.name}, proportional to 1/n`)) {
      assert.ok(Math.abs(y - median * curve.points[0].x / x) < 1e-6 * median, `at ${x} it is ${y}`);
    }
  }
});

test('the history has the medians of all revisions, and the change points are listed', async () => {
  const figure = figureNamed('OperationsPerSecond', 'read-heavy', '');
  await page.locator('#figure').selectOption(String(figure));
  await drawAll(page);
  const chart = (await chartsOf(page)).find((one) => one.title === 'throughput over the revisions');
  const series = data.history.series.filter((one) => one.metric === 'OperationsPerSecond' && one.step === 'read-heavy');
  assert.equal(series.length, data.variants.length);
  for (const one of series) {
    assert.deepEqual(pointsOf(chart, one.variant), one.values.map((value, index) => [index, value]));
  }
  const rows = await tableOf(page, 'Change points of all figures');
  const want = data.history.series.flatMap((one) => one.changes.map((change) => [
    data.history.revisions[change.index].revision, one.variant, data.metrics[one.metric], change.changeText,
  ]));
  assert.ok(want.length > 0, 'the suite has no change point');
  assert.deepEqual(rows.map((row) => [row[0], row[2], row[5], row[6]]), want);
  const text = await page.locator('body').innerText();
  assert.deepEqual(Object.keys(data.metrics).filter((metric) => text.includes(metric)), []);
});

test('the comparison has every line with its texts, and is filtered by verdict and words', async () => {
  const signs = {
    Regressed: '✖', Improved: '✔', Inconclusive: '?', NotDetected: '~', NotWorse: '≥', Unchanged: '=',
  };
  const wanted = (lines) => lines.map((line) => [
    line.variant, `${signs[line.verdict]} ${line.verdict}`, line.baselineText, line.medianText, line.changeText,
    line.intervalText, line.message,
  ]);
  const rows = async () => (await tableOf(page, 'Lines of the comparison')).map((row) =>
    [row[0], row[1], row[6], row[7], row[8], row[9], row[11]]);
  assert.deepEqual(await rows(), wanted(data.lines));
  for (const verdict of Object.keys(signs)) {
    await page.getByRole('group', { name: 'Verdict' }).getByRole('button', { name: verdict }).click();
    const lines = data.lines.filter((line) => line.verdict === verdict);
    assert.ok(lines.length > 0, `no line is ${verdict}`);
    assert.deepEqual(await rows(), wanted(lines));
    const drawn = lines.filter((line) => line.effectBasisPoints !== undefined);
    assert.deepEqual(await page.$$eval('g.change', (all) => all.map((one) => Number(one.dataset.effect))),
      drawn.map((line) => line.effectBasisPoints));
    // Every axis reaches over 0, which has no sign.
    const axis = await page.$$eval('[data-chart="changes"] text[text-anchor="middle"]', (all) =>
      all.map((one) => one.textContent));
    assert.ok(axis.includes('0 %'), `0 is not at the axis of ${verdict}: ${axis}`);
  }
  await page.getByRole('group', { name: 'Verdict' }).getByRole('button', { name: 'All' }).click();
  await page.locator('#filter-lines').fill('INMEMORY-shards8');
  assert.deepEqual(await rows(), wanted(data.lines.filter((line) => line.variant === 'inmemory-shards8')));
});

test('variants are filtered, in charts and tables', async () => {
  await page.locator('#filter-variants').fill('inmemory');
  const want = data.variants.map((one) => one.name).filter((name) => name.startsWith('inmemory'));
  assert.deepEqual((await dots()).map((row) => row.variant), want);
  assert.deepEqual((await tableOf(page, 'Medians')).map((row) => row[0]), want);
  assert.deepEqual([...new Set((await tableOf(page, 'All runs')).map((row) => row[1]))], want);
  await drawAll(page);
  const chart = (await chartsOf(page)).find((one) => one.title.endsWith('over target.sharded.shards'));
  assert.deepEqual(chart.lines.map((line) => line.label).filter((label) => !label.includes(',')), ['inmemory']);
  await page.locator('#filter-variants').fill('nothing is called so');
  assert.equal(await page.locator('[data-chart="dots"]').count(), 0);
});

test('tables are sorted by what their texts stand for, by keyboard too', async () => {
  const table = tableNamed(page, 'Lines of the comparison');
  const head = table.getByRole('button', { name: 'Change', exact: true });
  const changes = () => tableOf(page, 'Lines of the comparison').then((rows) => rows.map((row) => row[8]));
  const texts = (lines) => lines.map((line) => line.changeText);
  const rising = [...data.lines].filter((line) => line.effectBasisPoints !== undefined)
    .sort((a, b) => a.effectBasisPoints - b.effectBasisPoints);
  await head.focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(await changes(), texts([...rising].reverse()));
  assert.equal(await table.locator('th[aria-sort="descending"]').count(), 1);
  await page.keyboard.press('Space');
  assert.deepEqual(await changes(), texts(rising));
  assert.equal(await table.locator('th[aria-sort="ascending"]').count(), 1);
});

test('a table is copied with exact values', async () => {
  await page.getByRole('button', { name: 'Copy table: Medians' }).click();
  await page.getByText('Table copied.').waitFor();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n').map((line) => line.split('\t'));
  const figure = data.figures[Number(await page.locator('#figure').inputValue())];
  assert.deepEqual(copied[0], ['Variant', 'Runs', 'Median', 'Interval', 'Confidence']);
  assert.deepEqual(copied.slice(1).map((row) => [row[0], row[2]]),
    data.variants.map((variant, at) => [variant.name, String(figure.variants[at].median)]));
});

test('every run is there by its name, and a dot leads to it', async () => {
  const names = data.variants.flatMap((variant) => variant.runs.map((run) => run.name));
  assert.deepEqual((await tableOf(page, 'All runs')).map((row) => row[0]), names);
  const run = names[names.length - 1];
  await page.locator(`circle.dot[data-run="${run}"]`).click();
  assert.equal((await tableOf(page, 'All runs'))[0][0], run);
});

test('thresholds, conditions and revisions of the suite are there', async () => {
  assert.deepEqual(await tableOf(page, 'Thresholds'), data.limits.rows.map((row) => row.map((cell) => [cell].flat()[0])));
  assert.deepEqual((await tableOf(page, 'Revisions, the latest first')).map((row) => row[0]),
    data.history.revisions.map((one) => one.revision).reverse());
  assert.match(await page.locator('dl.facts').first().innerText(), /Regressed\s+True, MetricRegressed: the throughput is a half/);
});

test('differences of the fingerprint say whether they are declared', async () => {
  const rows = await tableOf(page, 'Differences');
  assert.deepEqual(rows, data.differences.rows);
  assert.ok(rows.some((row) => row[2] === 'kernels' && row[3] === 'no'), 'the other kernel is not told');
});

test('a figure of a growth is drawn over the documents, a line a variant', async () => {
  const grown = await open(browser, 'growth.html');
  const figures = grown.data.figures.filter((one) => one.metric === 'OperationsPerSecond');
  await drawAll(grown.page);
  const chart = (await chartsOf(grown.page)).find((one) => one.title === 'throughput of find over the documents');
  grown.data.variants.forEach((variant, at) => {
    assert.deepEqual(pointsOf(chart, variant.name), figures.map((one) => [one.documents, one.variants[at].median]));
  });
  assert.equal(figures.length, 3);
  assert.equal(await grown.page.locator('#figure option').count(), grown.data.figures.length);
  await grown.context.close();
  assert.deepEqual(grown.problems, []);
});

test('a search shows what it found and by what, and no comparison', async () => {
  const searched = await open(browser, 'search.html');
  const rows = await tableOf(searched.page, 'Variants that were tried');
  assert.deepEqual(rows.map((row) => row[1]), searched.data.tried.rows.map((row) => row[1]));
  assert.equal(rows.length, 2);
  assert.match(await searched.page.locator('#search').innerText(), /keeps the constraints, by 5 runs of 25/);
  assert.equal(await searched.page.locator('#comparison').count(), 0);
  assert.deepEqual(searched.problems, []);
  await searched.context.close();
});
