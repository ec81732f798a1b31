import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the scripts below share in a page. axe refuses a second run at once: each begins after the one before it. */
type Checked = { axe: typeof axe; axeRun?: Promise<unknown> };

/**
 * The axe violations of a page, of some rules (all), without some others. They are those that last: a page
 * that still loads lacks what it will have in a moment, such as its heading.
 */
export async function violations(page: Page, options: { rules?: string[]; without?: string[] } = {}): Promise<string[]> {
  for (let checks = 1; ; checks++) {
    const found = await violationsNow(page, options);
    if (found.length === 0 || checks === 5) return found;
    await page.waitForTimeout(1_000);
  }
}

async function violationsNow(page: Page, options: { rules?: string[]; without?: string[] }): Promise<string[]> {
  // Loading axe costs as much as its checks.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(async ({ rules, without = [] }) => {
    const page = window as unknown as Checked;
    const run = (page.axeRun ?? Promise.resolve()).then(() =>
      page.axe.run(document, {
        resultTypes: ['violations'],
        rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
        ...(rules && { runOnly: { type: 'rule', values: rules } }),
      }),
    );
    page.axeRun = run;
    const { violations } = await run;
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`);
  }, options);
}

/**
 * Checks every state of the pages of an origin in which they rest for a third of a second, after whatever
 * led to it, but not the websites of others in their frames. A violation is an error in the console, which
 * fails the test. While a combo box is open, React Aria hides the rest of the page from screen readers,
 * including controls that Tab reaches only after the list closes.
 */
export async function checkAlways(page: Page, origin: string) {
  await page.addInitScript({ content: source });
  await page.addInitScript((origin) => {
    if (location.origin !== origin) return;
    const page = window as unknown as Checked;
    const seen = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    const check = async () => {
      if (running || !document.querySelector('main, form')) return later();
      running = true;
      const combo = document.querySelector('[role=combobox][aria-expanded=true]') !== null;
      const without = combo ? ['aria-hidden-focus', 'page-has-heading-one', 'region'] : [];
      const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
      const run = (page.axeRun ?? Promise.resolve()).then(() => page.axe.run(document, { resultTypes: ['violations'], rules }));
      page.axeRun = run;
      const { violations } = await run;
      running = false;
      for (const v of violations) {
        const text = `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`;
        if (!seen.has(text)) console.error(`axe: ${location.pathname}: ${text}`);
        seen.add(text);
      }
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void check(), 350);
    };
    addEventListener('DOMContentLoaded', () => {
      new MutationObserver(later).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      later();
    });
  }, origin);
}
