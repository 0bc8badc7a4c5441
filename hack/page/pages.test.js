// What holds of every page.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brightness, chartsOf, drawAll, launch, missedByTab, open, violations } from './browser.js';

// A page that takes as long is broken. What it takes is printed.
const openedWithin = 30_000;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const name of ['small.html', 'long.html', 'overlaid.html', 'duet.html', 'suite.html', 'search.html', 'growth.html']) {
  describe(name, () => {
    let opened;
    before(async () => {
      opened = await open(browser, name);
      console.log(`${name}: open after ${opened.millis} ms`);
    });
    after(() => opened.context.close());

    test('opens in time, with a heading and a title', async () => {
      assert.ok(opened.millis < openedWithin, `it took ${opened.millis} ms`);
      assert.equal(await opened.page.locator('h1').count(), 1);
      assert.notEqual(await opened.page.title(), '');
    });

    test('draws every chart, complains of nothing, and asks for nothing', async () => {
      await drawAll(opened.page);
      const titles = (await chartsOf(opened.page)).map((chart) => chart.title);
      assert.ok(titles.length > 0, 'there is no chart');
      assert.equal(await opened.page.locator('.plot:not(:has(canvas))').count(), 0, 'a chart is not drawn');
      assert.doesNotMatch(await opened.page.locator('body').innerText(), /\[object |undefined|NaN/);
      assert.deepEqual(opened.problems, []);
      assert.deepEqual(opened.requests, []);
    });

    test('is reached as a whole by the Tab key', async () => {
      assert.deepEqual(await missedByTab(opened.page), []);
    });

    test('is light or dark, as the system or the reader wants it', async () => {
      const { page } = opened;
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.ok(await brightness(page) < 80, 'it is not dark');
      await page.getByRole('button', { name: 'Light', exact: true }).click();
      assert.ok(await brightness(page) > 200, 'it is not light');
      await page.getByRole('button', { name: 'Dark', exact: true }).click();
      await page.emulateMedia({ colorScheme: 'light' });
      assert.ok(await brightness(page) < 80, 'it does not stay dark');
      await page.getByRole('button', { name: 'System', exact: true }).click();
      assert.ok(await brightness(page) > 200, 'it does not follow the system again');
      assert.deepEqual(opened.problems, []);
    });

    test('is accessible as far as axe can tell', async () => {
      await opened.page.emulateMedia({ colorScheme: 'light' });
      assert.deepEqual(await violations(opened.page), []);
    });

    test('has enough contrast in the dark as well', async () => {
      await opened.page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await violations(opened.page, ['color-contrast']), []);
    });

    test('prints on white', async () => {
      const { page } = opened;
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.evaluate(() => addEventListener('beforeprint', () => {
        window.printed = getComputedStyle(document.body).backgroundColor;
      }));
      const pdf = await page.pdf();
      assert.ok(pdf.length > 10_000, `the PDF has ${pdf.length} bytes`);
      assert.equal(await page.evaluate(() => window.printed), 'rgb(255, 255, 255)');
      assert.deepEqual(opened.problems, []);
    });
  });
}
