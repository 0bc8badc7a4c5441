// Opens what kubectl mongobench ui serves, as TestUIInABrowser calls it:
//
//   node ui.js ADDRESS
//
// It looks at the page while objects change: for each change it writes "wants ..." and waits until the page shows it,
// which the test makes happen. It ends with an error when anything is not as it should be.
import assert from 'node:assert/strict';
import { launch, listen, shoot, violations } from './browser.js';

const [address] = process.argv.slice(2);
const { origin } = new URL(address);
const wants = (what) => console.log(`wants ${what}`);

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(30_000);
const { problems, requests } = listen(page, (url) => url.startsWith(`${origin}/`));

const row = (name) => page.locator('tr', { has: page.getByRole('rowheader', { name, exact: true }) });
const link = (name) => page.getByRole('link', { name, exact: true });
const isLive = () => page.locator('#link', { hasText: /^live$/ }).waitFor();

// The same page all the time: what is set here is gone after a reload.
async function marked(act) {
  await page.evaluate(() => { window.marked = true; });
  await act();
  assert.equal(await page.evaluate(() => window.marked), true, 'the page was loaded again');
}

async function rowsFollowTheObjects() {
  await page.goto(address);
  await isLive();
  assert.equal(page.url(), `${origin}/`, 'the token is left in the address');
  await row('first').waitFor();
  await marked(async () => {
    wants('first is measured');
    await row('first').locator('progress[value="40"]').waitFor();
    await row('first').getByText('2,900 ops/s').waitFor();
    wants('first is faster');
    await row('first').locator('progress[value="80"]').waitFor();
    await row('first').getByText('4,100 ops/s').waitFor();
    assert.equal(await page.locator('progress').count(), 1);
    wants('second');
    await row('second').waitFor();
    wants('no second');
    await row('second').waitFor({ state: 'detached' });
    assert.equal(await link('first').count(), 0, 'there is a link to a report before there is one');
    wants('first has ended');
    await link('first').waitFor();
    wants('a suite');
    await page.locator('tr.bad').getByRole('link', { name: 'compared' }).waitFor();
    // What has the keyboard keeps it when the rows are written again.
    await link('first').focus();
    wants('third');
    await row('third').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'first');
  });
}

async function isAccessible() {
  await shoot(page, 'ui-light');
  assert.deepEqual(await violations(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, 'ui-dark');
  assert.deepEqual(await violations(page, ['color-contrast']), []);
  await page.emulateMedia({ colorScheme: 'light' });
}

async function reportsOpen() {
  await link('first').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
  // A chart is drawn when it is near.
  await page.locator('#time figure').first().scrollIntoViewIfNeeded();
  await page.locator('#time canvas').first().waitFor();
  await page.goBack();
  await isLive();
  await link('compared').click();
  await page.getByRole('heading', { level: 1, name: 'Suite compared' }).waitFor();
  assert.equal(await page.locator('circle.dot').count(), 10);
  await page.goBack();
  await isLive();
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, []);
}

// What is shown stays, and it is said that it is not kept up.
async function theEndIsSaid() {
  wants('the end');
  await page.locator('#link', { hasText: 'not connected' }).waitFor();
  assert.equal(await row('third').count(), 1);
}

try {
  for (const part of [rowsFollowTheObjects, isAccessible, reportsOpen, theEndIsSaid]) await part();
} catch (error) {
  const seen = await page.locator('body').innerText().catch(() => 'no page');
  console.error(error, problems, seen.slice(0, 2000));
  process.exitCode = 1;
} finally {
  await browser.close();
}
