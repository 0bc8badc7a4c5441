// Opens the built documentation as a reader does who has only its folder: nothing is asked of any network, and the search
// finds what is on a page.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, listen, shoot, violations } from '../page/browser.js';

const address = (page) => pathToFileURL(path.join(process.env.SITE, page)).href;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// visit opens a page of the site, without a network.
async function visit(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const heard = listen(page, (url) => url.startsWith('file://'));
  await page.goto(address(name), { waitUntil: 'load' });
  return { context, page, ...heard };
}

describe('the documentation', () => {
  for (const name of ['index.html', 'tutorials/laptop.html', 'reference/api-reference.html', 'how-to/see-it.html']) {
    test(`${name} asks for nothing and complains of nothing`, async () => {
      const { context, page, problems, requests } = await visit(name);
      await shoot(page, name.replace('/', '-').replace('.html', ''), false);
      assert.equal(await page.locator('h1').count(), 1);
      assert.equal(await page.locator('img').evaluateAll((all) => all.filter((one) => !one.naturalWidth).length), 0);
      assert.deepEqual(requests, []);
      assert.deepEqual(problems, []);
      await context.close();
    });
  }

  test('is searched without a server', async () => {
    const { context, page, requests, problems } = await visit('index.html');
    await page.locator('.md-search__input').click();
    await page.keyboard.type('GeneratorLate');
    await page.locator('.md-search-result__item').first().waitFor();
    assert.match(await page.locator('.md-search-result').innerText(), /Reading a result/);
    await shoot(page, 'search', false);
    assert.deepEqual([...requests, ...problems], []);
    await context.close();
  });

  test('can be read on a telephone', async () => {
    const { context, page } = await visit('index.html', { viewport: { width: 360, height: 740 } });
    await shoot(page, 'index-narrow', false);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than the screen');
    await context.close();
  });

  test('has contrast and names, as far as axe can tell', async () => {
    const { context, page } = await visit('index.html');
    assert.deepEqual(await violations(page, ['color-contrast', 'image-alt', 'link-name', 'document-title', 'html-has-lang']), []);
    await context.close();
  });
});
