// Opens pages as their readers do: as files, in a real Chromium. What a page asked the network for, and what it
// complained of, is kept; so are its charts.
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';

// Where hack/page/test.sh puts the pages and, if asked for, pictures of them.
const folder = process.env.PAGES;
const pictures = process.env.PICTURES;

// A page that takes longer hangs; how long it really takes is printed.
const patience = 60_000;

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
}

// keepCharts lets the tests read what uPlot draws: it runs before the scripts of the page.
function keepCharts() {
  window.drawnCharts = [];
  let made;
  Object.defineProperty(window, 'uPlot', {
    configurable: true,
    get: () => made,
    set(uPlot) {
      made = new Proxy(uPlot, {
        construct(target, options) {
          const chart = new target(...options);
          window.drawnCharts.push(chart);
          return chart;
        },
      });
    },
  });
}

// listen keeps what a page complains of, and what it asks for that is not its own.
export function listen(page, isOwn) {
  const problems = [];
  const requests = [];
  page.on('console', (said) => {
    if (['error', 'warning'].includes(said.type())) problems.push(`${said.type()}: ${said.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!isOwn(request.url()) && !request.url().startsWith('data:')) requests.push(request.url());
  });
  return { problems, requests };
}

// open opens a page and says how long it took until everything that its scripts do at first was done.
export async function open(browser, name, options = {}) {
  assert.ok(folder, 'PAGES names the folder of the pages; hack/page/test.sh makes them');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const address = pathToFileURL(path.join(folder, name)).href;
  const { problems, requests } = listen(page, (url) => url.split('#')[0] === address);
  await page.addInitScript(keepCharts);
  const before = performance.now();
  await page.goto(address, { waitUntil: 'load' });
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); }));
  const millis = Math.round(performance.now() - before);
  const data = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
  return { context, page, problems, requests, millis, data };
}

// drawAll draws the charts that are too far down to be drawn yet.
export async function drawAll(page) {
  await page.evaluate(() => {
    for (const host of window.mongobench.charts()) host.draw();
  });
}

// chartsOf are the charts that are on the page: the title, what lies on both axes, and the names of the lines.
export function chartsOf(page) {
  return page.evaluate(() => window.drawnCharts
    .filter((chart) => chart.root.isConnected)
    .map((chart) => ({
      title: chart.root.closest('figure').querySelector('figcaption').textContent,
      x: Array.from(chart.data[0]),
      lines: chart.series.slice(1).map((series, i) => ({
        label: series.label, show: series.show, y: Array.from(chart.data[i + 1], (y) => (y === undefined ? null : y)),
      })),
    })));
}

// line of a chart as the points that it has.
export function pointsOf(chart, label) {
  const line = chart.lines.find((one) => one.label === label);
  assert.ok(line, `${chart.title} has no line ${label}, but ${chart.lines.map((one) => one.label).join(', ')}`);
  return chart.x.map((x, i) => [x, line.y[i]]).filter(([, y]) => y !== null);
}

// tableOf reads a table by its caption, as text.
export function tableOf(page, caption) {
  return page.evaluate((name) => {
    const table = [...document.querySelectorAll('table')].find((one) => one.caption?.textContent === name);
    return table && [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, caption);
}

export const tableNamed = (page, caption) => page.locator('div.table', {
  has: page.locator('caption', { hasText: new RegExp(`^${caption}$`) }),
});

// violations are what axe finds, one line each; by all of its rules, or by some.
export async function violations(page, rules) {
  const axe = new AxeBuilder({ page });
  const { violations: found } = await (rules ? axe.withRules(rules) : axe).analyze();
  return found.map((one) => `${one.id} (${one.impact}): ${one.help}: ` +
    one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary.replace(/\s+/g, ' ')}`).join('; ') +
    (one.nodes.length > 3 ? ` and ${one.nodes.length - 3} more` : ''));
}

// missedByTab goes through the page by the Tab key, and says which elements that can be seen and used were not reached.
export async function missedByTab(page) {
  const count = await page.evaluate(() => {
    const usable = 'a[href], button, select, input, textarea, summary, [tabindex]:not([tabindex="-1"])';
    window.wanted = new Set([...document.querySelectorAll(usable)].filter((one) => one.checkVisibility()));
    window.scrollTo(0, 0);
    document.activeElement?.blur();
    return window.wanted.size;
  });
  for (let i = 0; i < count + 10; i++) {
    await page.keyboard.press('Tab');
    const left = await page.evaluate(() => {
      window.wanted.delete(document.activeElement);
      return window.wanted.size;
    });
    if (!left) return [];
  }
  return page.evaluate(() => [...window.wanted].map((one) => one.outerHTML.slice(0, 120)));
}

// shoot takes a picture of a page as a whole, or of what is seen of it, where one is wanted.
export async function shoot(page, name, fullPage = true) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage });
}

// brightness of the page's background, 0 to 255.
export async function brightness(page) {
  const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const parts = colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
