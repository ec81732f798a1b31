import { defineConfig } from '@playwright/test';

// CHROMIUM is the path of the browser, DEMO that of the facts of a running demo, RESULTS a
// directory for what failed tests leave. With AXE=1 every state of every page is checked with axe, which takes
// twice as long, with BENCH=1 the measurements run instead. Traces (--trace on) cost a third more processor time.
export default defineConfig({
  testDir: 'tests',
  testMatch: process.env.BENCH ? '**/*.bench.ts' : '**/*.spec.ts',
  outputDir: process.env.RESULTS ?? 'test-results',
  reporter: 'list',
  timeout: 180_000, // ms
  expect: { timeout: 30_000 },
  workers: 1, // the tests share one demo
  fullyParallel: false,
  use: {
    browserName: 'chromium',
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    reducedMotion: 'reduce',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});
