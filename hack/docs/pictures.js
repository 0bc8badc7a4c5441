// Takes the pictures of report pages that the documentation shows, and keeps the pages beside them, for readers to open.
import assert from 'node:assert/strict';
import { copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { drawAll, launch, open } from '../page/browser.js';

const folder = process.env.PICTURES;
// What a reader of the site waits for at most.
const maxBytes = 400_000;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const [name, of] of Object.entries({ run: 'small', compare: 'overlaid', suite: 'suite', growth: 'growth' })) {
  test(`the page of a ${name}`, async () => {
    const { context, page, problems } = await open(browser, `${of}.html`, { viewport: { width: 1200, height: 1000 } });
    await drawAll(page);
    assert.deepEqual(problems, []);
    const file = path.join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    await copyFile(path.join(process.env.PAGES, `${of}.html`), path.join(folder, `${name}.html`));
    const { size } = await stat(file);
    assert.ok(size < maxBytes, `${name}.png has ${size} bytes`);
    await context.close();
  });
}
