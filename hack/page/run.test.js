// The pages of runs: what they draw is what the report says, and they can be filtered, zoomed, sorted and laid over each
// other.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { chartsOf, drawAll, launch, open, pointsOf, tableNamed, tableOf } from './browser.js';

const recorded = JSON.parse(readFileSync(new URL('testdata/standalone.json', import.meta.url)));
const measured = recorded.report.steps.find((step) => step.kind === 'Measure');

let browser, opened, page, data;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opens(name) {
  opened = await open(browser, name);
  ({ page, data } = opened);
  await drawAll(page);
}
afterEach(async () => {
  await opened.context.close();
  assert.deepEqual(opened.problems, []);
  assert.deepEqual(opened.requests, []);
});

const chartNamed = async (title) => {
  const charts = await chartsOf(page);
  const chart = charts.find((one) => one.title === title);
  assert.ok(chart, `there is no chart ${title}, but ${charts.map((one) => one.title).join('; ')}`);
  return chart;
};

const seconds = (instant) => (Date.parse(instant) - Date.parse(recorded.report.steps[0].start)) / 1000;

// close compares points that were rounded on their way.
function close(got, want, message) {
  assert.equal(got.length, want.length, message);
  got.forEach(([x, y], i) => {
    assert.ok(Math.abs(x - want[i][0]) < 0.01, `${message}: point ${i} is at ${x}, want ${want[i][0]}`);
    assert.ok(Math.abs(y - want[i][1]) <= 0.001 * Math.abs(want[i][1]) + 0.01,
      `${message}: point ${i} is ${y}, want ${want[i][1]}`);
  });
}

describe('a recorded run', () => {
  test('throughput over time is that of the report', async () => {
    await opens('small.html');
    const chart = await chartNamed('Throughput');
    const interval = measured.intervalMillis / 1000;
    for (const operation of measured.operations) {
      const points = pointsOf(chart, operation.name);
      // The last piece is no whole interval.
      assert.ok(points.length >= operation.intervals.length - 1 && points.length > 10, `${points.length} points`);
      close(points, operation.intervals.slice(0, points.length)
        .map((count, i) => [seconds(measured.measureStart) + (i + 1) * interval, count / interval]), operation.name);
    }
  });

  test('figures of a server over time are those of the report', async () => {
    await opens('small.html');
    const charts = await chartsOf(page);
    const [member] = recorded.report.members;
    const cache = member.series.find((one) => one.name === 'cache.used');
    const chart = charts.find((one) => one.title === 'Cache in use');
    const used = pointsOf(chart, 'standalone-mongod-0 (standalone)');
    assert.deepEqual(used.map(([, y]) => y), cache.values.filter((value) => value >= 0));
  });

  test('the table of operations has the figures of the report, and is sorted and copied', async () => {
    await opens('small.html');
    const caption = `Operations of step ${measured.name}`;
    const summary = recorded.summary.steps.find((step) => step.name === measured.name);
    const heads = await tableNamed(page, caption).locator('thead th').allTextContents();
    const count = heads.indexOf('count');
    const rows = await tableOf(page, caption);
    for (const operation of summary.operations) {
      const row = rows.find((one) => one[0] === operation.name);
      assert.equal(row[count], operation.count.toLocaleString('en-US'));
    }
    await tableNamed(page, caption).getByRole('button', { name: 'count', exact: true }).click();
    const sorted = (await tableOf(page, caption)).map((row) => Number(row[count].replaceAll(',', '')));
    assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
    await page.getByRole('button', { name: `Copy table: ${caption}` }).click();
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n').map((row) => row.split('\t'));
    const p99 = copied[0].indexOf('p99');
    for (const operation of summary.operations) {
      assert.equal(Number(copied.find((row) => row[0] === operation.name)[p99]), operation.p99Micros);
    }
  });

  test('an operation is shown by itself', async () => {
    await opens('small.html');
    await page.locator('#time select').selectOption('update');
    await drawAll(page);
    const chart = await chartNamed('Throughput of update');
    const update = measured.operations.find((one) => one.name === 'update');
    const points = pointsOf(chart, 'update');
    assert.deepEqual(points.map(([, y]) => y), update.intervals.slice(0, points.length));
  });
});

describe('a run of 30 minutes, 8 operations, 12 servers', () => {
  test('lines are hidden by the legend, and charts zoom together by keyboard', async () => {
    await opens('long.html');
    const throughput = page.locator('figure', { has: page.locator('figcaption', { hasText: /^Throughput$/ }) });
    await throughput.getByRole('button', { name: 'operation-3' }).click();
    const hidden = (await chartNamed('Throughput')).lines.filter((line) => !line.show).map((line) => line.label);
    assert.deepEqual(hidden, ['operation-3']);
    const reach = () => page.evaluate(() => [...new Set(window.drawnCharts.filter((chart) => chart.root.isConnected &&
      chart.root.closest('#time')).map((chart) => `${chart.scales.x.min} ${chart.scales.x.max}`))]);
    const before = await reach();
    await throughput.locator('.plot').focus();
    await page.keyboard.press('+');
    const after = await reach();
    assert.equal(after.length, 1, `the charts show different times: ${after}`);
    assert.notDeepEqual(after, before);
    await page.keyboard.press('0');
    assert.deepEqual(await reach(), before);
    await page.keyboard.press('ArrowRight');
    assert.match(await throughput.locator('.tip').innerText(), /operation-1/);
  });
});

describe('two runs', () => {
  test('have the verdicts of their comparison, which are sorted by what they stand for', async () => {
    await opens('overlaid.html');
    const [lines, why] = data.comparison.tables;
    const texts = (rows) => rows.map((row) => row.map((cell) => [cell].flat()[0]));
    const caption = 'Lines of the comparison';
    assert.deepEqual(await tableOf(page, caption), texts(lines.rows));
    assert.deepEqual(await tableOf(page, 'Why'), texts(why.rows));
    assert.ok(lines.rows.length > 2, `there are ${lines.rows.length} lines`);
    const change = lines.columns.findIndex((column) => column.name === 'change');
    await tableNamed(page, caption).getByRole('button', { name: 'change', exact: true }).click();
    assert.deepEqual(await tableOf(page, caption), texts([...lines.rows].sort((a, b) => b[change][1] - a[change][1])));
  });

  test('lie over each other from the start of a step', async () => {
    await opens('overlaid.html');
    await page.getByRole('group', { name: 'Laid over each other from the start of' })
      .getByRole('button', { name: 'mixed' }).click();
    await drawAll(page);
    const chart = await chartNamed('Throughput');
    data.runs.forEach((run) => {
      const points = pointsOf(chart, run.name);
      const step = run.steps.find((one) => one.name === 'mixed');
      close(points, step.all.rate.map((y, i) => [(i + 1) * step.joined * step.interval, y]), run.name);
    });
  });
});

describe('a duet', () => {
  test('shows how the bounds of each line narrow, and the windows of both sides', async () => {
    await opens('duet.html');
    assert.equal(data.duet.plots.length, 3);
    for (const plot of data.duet.plots) {
      const chart = await chartNamed(plot.title);
      for (const line of plot.lines) {
        assert.ok(line.x.length > 10, `${line.label} has ${line.x.length} points`);
        close(pointsOf(chart, line.label), line.x.map((x, i) => [x, line.y[i]]), `${plot.title}, ${line.label}`);
      }
    }
    const rows = await tableOf(page, data.duet.tables[0].caption);
    assert.deepEqual(rows.map((row) => row.at(-1)), ['Regressed', 'Regressed']);
  });

  test('fills what lies between the bounds', async () => {
    await opens('duet.html');
    const [plot] = data.duet.plots;
    // A point between the change and its upper bound, in the end and where there is neither grid nor line.
    const [r, g, b] = await page.evaluate(({ title, x, y }) => {
      const host = [...document.querySelectorAll('figure')].find((one) => one.querySelector('figcaption').textContent === title);
      const chart = window.drawnCharts.find((one) => host.contains(one.root));
      const at = [chart.valToPos(x, 'x', true), chart.valToPos(y, 'y', true)].map(Math.round);
      return [...chart.ctx.getImageData(...at, 1, 1).data];
    }, {
      title: plot.title, x: plot.lines[0].x.at(-1) - 1.2,
      y: (plot.lines[0].y.at(-1) * 2 + plot.lines[2].y.at(-1)) / 3,
    });
    assert.ok(b > r + 10, `it is of the colour ${r}, ${g}, ${b}`);
  });
});
