import { defineConfig } from '@playwright/test';
import { fileURLToPath } from 'node:url';

// BROWSER_PATH is the path of the browser, DEMO that of the facts of a running demo, RESULTS a directory
// for what failed tests leave. With AXE=1 every state of every page is checked with axe, which takes
// twice as long, with CI=1 a failed test gets a second try, and SECOND_TRY is a file for the names of those that
// needed it. With BENCH=1 the measurements run instead. Traces (--trace on) cost a third more processor time.
export default defineConfig({
  testDir: 'tests',
  testMatch: process.env.BENCH ? '**/*.bench.ts' : '**/*.spec.ts',
  outputDir: process.env.RESULTS ?? 'test-results',
  reporter: [['list'], ['./tests/secondtry.ts']],
  retries: process.env.CI && !process.env.BENCH ? 1 : 0,
  timeout: 180_000, // ms
  expect: { timeout: 30_000 },
  workers: 1, // the tests share one demo
  fullyParallel: false,
  use: { locale: 'en-GB', timezoneId: 'Europe/Oslo' },
  projects: [
    {
      name: 'chromium',
      use: {
        browserName: 'chromium',
        reducedMotion: 'reduce',
        launchOptions: {
          executablePath: process.env.BROWSER_PATH ?? '/usr/bin/chromium',
          args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
        },
      },
    },
    {
      // The Firefox that users have, by WebDriver BiDi. firefox.mjs starts the one at BROWSER_PATH.
      name: 'firefox',
      grep: /@firefox/,
      use: {
        browserName: 'firefox',
        channel: 'moz-firefox',
        launchOptions: { executablePath: fileURLToPath(new URL('tests/firefox.mjs', import.meta.url)), firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 } },
      },
    },
  ],
});
