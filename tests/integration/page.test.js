// SPDX-License-Identifier: BSD-3-Clause
'use strict';

// Uses the page of the switchboard as two people would, in two tabs of one browser:
// node page.test.js URL BROWSER PROFILE_DIR SCREENSHOT_DIR. Prints ok at the end.
const assert = require('assert');
const path = require('path');
const { chromium } = require('playwright-core');

const [url, executablePath, profile, shots] = process.argv.slice(2);
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
              '--disable-component-update', '--disable-sync'];

async function openTab(context) {
  const tab = await context.newPage();
  tab.problems = [];
  tab.on('pageerror', (error) => tab.problems.push(String(error)));
  tab.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      tab.problems.push('asks for ' + request.url());
  });
  await tab.goto(url);
  await tab.getByText('Live updates: on').waitFor();
  return tab;
}

const row = (tab, serial) => tab.locator(`#devices tr[data-serial="${serial}"]`);
const received = (tab, text) => tab.locator('#log li').filter({ hasText: text });

async function connect(tab, serial) {
  await tab.getByLabel('Serial', { exact: true }).fill(serial);
  await tab.getByRole('button', { name: 'Connect', exact: true }).click();
}

async function twoDevicesSeeEachOther(a, b) {
  await a.getByText('No device is connected.').waitFor();
  await connect(a, 'A-1');
  await a.getByText('Connected as A-1.').waitFor();
  await row(b, 'A-1').waitFor();
  await connect(b, 'B-2');
  await row(a, 'B-2').waitFor();
  await row(b, 'B-2').getByText('(this tab)').waitFor();
}

async function oneSendsToTheOther(a, b) {
  await a.getByLabel('To', { exact: true }).selectOption('B-2');
  await a.getByLabel('Message', { exact: true }).fill('hello <b>B</b>');
  await a.getByLabel('Message', { exact: true }).press('Enter');
  await a.getByText('Sent to B-2.').waitFor();
  await received(b, 'hello <b>B</b>').waitFor();
  await received(b, 'from A-1').waitFor();
  assert.strictEqual(await a.locator('#log li').count(), 0);
}

async function joinGroup(tab, serial) {
  await tab.getByLabel('Group', { exact: true }).fill('lamps');
  await tab.getByLabel('Device', { exact: true }).selectOption(serial);
  await tab.getByRole('button', { name: 'Join' }).click();
  await tab.getByText(serial + ' joined lamps.').waitFor();
}

async function aGroupHearsWhatIsPublished(a, b) {
  await joinGroup(a, 'A-1');
  await joinGroup(b, 'B-2');
  await row(a, 'B-2').getByText('lamps').waitFor();
  await b.getByLabel('Message to all members').fill('lights out');
  await b.getByRole('button', { name: 'Publish' }).click();
  await b.getByText('Published to 2 devices.').waitFor();
  await received(a, 'lights out').waitFor();
  await received(b, 'lights out').waitFor();
  await a.getByRole('button', { name: 'Leave' }).click();
  await a.getByText('A-1 left lamps.').waitFor();
  await row(b, 'A-1').getByText('none').waitFor();
  await a.getByRole('button', { name: 'Leave' }).click();
  await a.getByText('not in this group').waitFor();
}

async function aTakenSerialIsRefused(context) {
  const tab = await openTab(context);
  await connect(tab, 'A-1');
  await tab.getByRole('alert').getByText('A-1 is connected already').waitFor();
  await tab.getByText('Not connected.').waitFor();
  assert.ok(await tab.getByRole('button', { name: 'Connect', exact: true }).isEnabled());
  await connect(tab, 'C-3');
  await tab.getByText('Connected as C-3.').waitFor();
  assert.ok(await tab.locator('#connect-error').isHidden());
  assert.deepStrictEqual(tab.problems, []);
  await tab.close();
}

async function theKeyboardIsEnough(tab) {
  await tab.getByRole('button', { name: 'Disconnect' }).focus();
  await tab.keyboard.press('Enter');
  await tab.getByText('Not connected.').waitFor();
  await tab.locator('#serial').focus();
  await tab.keyboard.press('Control+A');
  await tab.keyboard.type('K-9');
  await tab.keyboard.press('Enter');
  await tab.getByText('Connected as K-9.').waitFor();
}

async function everyFieldHasAName(tab) {
  const nameless = await tab.evaluate(() =>
    [...document.querySelectorAll('input, select')].filter((field) => field.labels.length === 0)
      .map((field) => field.id));
  assert.deepStrictEqual(nameless, []);
}

async function nothingIsCutOff(tab, name, width, colorScheme) {
  await tab.bringToFront();
  await tab.emulateMedia({ colorScheme });
  await tab.setViewportSize({ width, height: 900 });
  const overflow = await tab.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.strictEqual(overflow, 0, `${name} is ${overflow} pixels too wide`);
  await tab.screenshot({ path: path.join(shots, `switchboard-${name}.png`), fullPage: true });
}

async function main() {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, args, headless: true });
  context.setDefaultTimeout(20000);
  try {
    const a = await openTab(context);
    const b = await openTab(context);
    await twoDevicesSeeEachOther(a, b);
    await oneSendsToTheOther(a, b);
    await aGroupHearsWhatIsPublished(a, b);
    await aTakenSerialIsRefused(context);
    await row(a, 'C-3').waitFor({ state: 'detached' });
    await everyFieldHasAName(a);
    await nothingIsCutOff(a, 'wide', 1100, 'light');
    await nothingIsCutOff(b, 'narrow', 400, 'dark');
    await theKeyboardIsEnough(b);
    await row(a, 'B-2').waitFor({ state: 'detached' });
    await row(a, 'K-9').waitFor();
    assert.deepStrictEqual([a.problems, b.problems], [[], []]);
  } finally {
    await context.close();
  }
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
