// SPDX-License-Identifier: BSD-3-Clause
'use strict';

// Opens a page and waits until it shows a text: node page_shows.js URL BROWSER PROFILE_DIR TEXT.
// Prints ok at the end.
const { chromium } = require('playwright-core');

const [url, executablePath, profile, text] = process.argv.slice(2);
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
              '--disable-component-update', '--disable-sync'];

(async () => {
  const context = await chromium.launchPersistentContext(profile, { executablePath, args });
  try {
    const tab = await context.newPage();
    await tab.goto(url, { waitUntil: 'commit' });
    await tab.getByText(text).first().waitFor({ timeout: 20000 });
    console.log('ok');
  } finally {
    await context.close();
  }
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
