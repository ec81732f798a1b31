// Measures pages of a running program in Chromium, for test/bench/dashboard. The argument is the
// part: "pages" prints JSON, the others a Markdown table. FACTS is the path of the ids and users,
// CHROMIUM that of the browser, PAGES a text in the paths of the pages to visit.
import { chromium } from '@playwright/test';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { inBareBrowser } from './bare.mjs';

const facts = JSON.parse(readFileSync(process.env.FACTS, 'utf8'));
const project = `/projects/${facts.projects.worldDesk.id}`;
const articles = `${project}/collections/${facts.collections.articles}`;
const wide = `${project}/collections/${facts.wide.collection}/entries/${facts.wide.entry}`;

const launch = {
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
};
const looks = { baseURL: facts.baseUrl, locale: 'en-GB', viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' };

const browser = await chromium.launch(launch);
/** Signs a user in and returns the state of the browser that later contexts begin with. */
async function signedIn(role) {
  const context = await browser.newContext({ baseURL: facts.baseUrl });
  const { email, password } = facts.users[role];
  const response = await context.request.post('/api/session', { headers: { Origin: facts.baseUrl }, data: { email, password } });
  if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
  const state = await context.storageState();
  await context.close();
  return state;
}

function newContext(storageState) {
  return browser.newContext({ ...looks, storageState });
}

/** The path of the review that the inbox lists first. */
async function firstReview(context) {
  const page = await context.newPage();
  await page.goto('/dashboard/inbox');
  const href = await page.locator('a[data-row]').first().getAttribute('href');
  await page.close();
  return new URL(href, facts.baseUrl).pathname.replace(/^\/dashboard/, '');
}

const entryOf = (review) => `${articles}/entries/${review.split('/').at(-1)}`;

/** Visits the pages of src/router.tsx and prints the API calls of each. */
async function pages() {
  const states = { projectAdmin: await signedIn('projectAdmin'), superAdmin: await signedIn('superAdmin') };
  const context = await newContext(states.projectAdmin);
  const review = await firstReview(context);
  await context.close();
  const entry = entryOf(review);
  const visits = [
    ['projectAdmin', ['/inbox', review, '/calendar', '/account', project, `${project}/collections`, `${articles}/definition`, articles, `${articles}/new`, entry, `${entry}/history`]],
    ['projectAdmin', ['media', 'workflow', 'members', 'tokens', 'languages', 'settings'].map((name) => `${project}/${name}`)],
    ['superAdmin', ['/organisation', `/organisation/tenants/${facts.tenantId}`, `/organisation/departments/${facts.departments.newsroom}`, '/organisation/users']],
  ];
  const found = [];
  for (const [role, paths] of visits) {
    for (const path of paths.filter((p) => p.includes(process.env.PAGES))) {
      const context = await newContext(states[role]);
      const page = await context.newPage();
      const calls = new Set();
      page.on('response', (response) => {
        const url = new URL(response.url());
        if (url.pathname.startsWith('/api/') && response.request().method() === 'GET' && response.ok()) calls.add(url.pathname + url.search);
      });
      await page.goto(`/dashboard${path}`);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      const cookie = (await context.cookies()).map((c) => `${c.name}=${c.value}`).join('; ');
      found.push({ name: path, cookie, calls: [...calls] });
      await context.close();
    }
  }
  return JSON.stringify(found);
}

const visits = 9;

/**
 * Time from navigation until heading and first control are visible and the main thread is idle, in
 * a new profile and at its third visit. The form of the sign-in has no scripts: it is the scale.
 */
async function interactive() {
  const state = await signedIn('projectAdmin');
  const context = await newContext(state);
  const review = await firstReview(context);
  await context.close();
  const rows = [];
  for (const { name, path, control, cookies = state.cookies } of [
    { name: 'sign-in', path: '/sign-in', control: '#email', cookies: [] },
    { name: 'inbox', path: '/inbox', control: 'a[data-row]' },
    { name: 'review', path: review, control: '[data-approve]' },
    { name: 'editor', path: entryOf(review), control: 'main [contenteditable=true]' },
  ]) {
    rows.push([name, ...(await timesOfVisits(facts.baseUrl, path, control, cookies))]);
  }
  return table([`ms to interactive, processor slowed 4 ×, median of ${visits}`, 'cold cache', 'warm cache'], rows);
}

/** The cells of a page: times with a cold and with a warm cache. */
async function timesOfVisits(base, path, control, cookies) {
  const times = { cold: [], warm: [] };
  for (let n = 0; n < visits; n++) {
    await inBareBrowser(launch, async (browser) => {
      await browser.send('Storage.setCookies', { cookies: cookies.map(({ name, value }) => ({ name, value, url: base })) });
      for (const cache of ['cold', undefined, 'warm']) {
        const time = await browser.visit(`${base}/dashboard${path}`, `(${awaitInteractive})(${JSON.stringify(control)})`, 'window.interactiveAfter');
        if (cache) times[cache].push(time);
      }
    });
  }
  return ['cold', 'warm'].map((cache) => `${percentile(times[cache], 50).toFixed(0)} (${Math.min(...times[cache]).toFixed(0)} to ${Math.max(...times[cache]).toFixed(0)})`);
}

const delay = 150; // ms

/** Times over a network that delays each response, with the Link headers of the pages and without. */
async function preloading() {
  const { cookies } = await signedIn('projectAdmin');
  const rows = [];
  for (const [name, keepLinks] of [['with Link headers', true], ['without', false]]) {
    const proxy = slowNetwork(keepLinks);
    await once(proxy, 'listening');
    const base = `http://127.0.0.1:${proxy.address().port}`;
    rows.push([`inbox, ${name}`, ...(await timesOfVisits(base, '/inbox', 'a[data-row]', cookies))]);
    rows.push([`editor, ${name}`, ...(await timesOfVisits(base, wide, 'main [contenteditable=true]', cookies))]);
    proxy.close();
    proxy.closeAllConnections();
  }
  return table([`ms to interactive, processor slowed 4 ×, responses delayed by ${delay} ms, median of ${visits}`, 'cold cache', 'warm cache'], rows);
}

function slowNetwork(keepLinks) {
  const { hostname, port, host } = new URL(facts.baseUrl);
  const agent = new http.Agent({ keepAlive: true });
  return http
    .createServer(async (request, response) => {
      await sleep(delay);
      const options = { agent, hostname, port, method: request.method, path: request.url, headers: { ...request.headers, host } };
      const onward = http.request(options, (answer) => {
        if (!keepLinks) delete answer.headers.link;
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    })
    .listen(0, '127.0.0.1');
}

/** Runs in the page: notes when it is interactive. */
function awaitInteractive(control) {
  const visible = (element) => element?.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().height > 0;
  const look = () => {
    const heading = document.querySelector('h1');
    const ready = heading?.textContent && visible(heading) && [...document.querySelectorAll(control)].some(visible);
    if (!ready) return requestAnimationFrame(look);
    requestIdleCallback(() => (window.interactiveAfter = performance.now()));
  };
  look();
}

const keys = 300;

/** Types into an entry with 200 fields, and into a bare text area for comparison. */
async function typing() {
  const context = await newContext(await signedIn('projectAdmin'));
  const page = await context.newPage();
  const rows = [];
  const type = async (name, field) => {
    await field.click();
    await page.keyboard.press('Home');
    await page.waitForTimeout(1_000);
    await page.evaluate(watchKeys);
    await page.keyboard.type('The quick brown fox jumps. '.repeat(keys).slice(0, keys), { delay: 30 });
    await page.waitForTimeout(500);
    const { handled, painted } = await page.evaluate(() => window.latencies);
    if (painted.length < keys * 0.9) throw new Error(`${name}: ${painted.length} of ${keys} keys were seen`);
    rows.push([name, ...[handled, painted].flatMap((times) => [50, 99, 100].map((p) => percentile(times, p).toFixed(1)))]);
  };
  await page.setContent('<textarea></textarea>');
  await type('a bare text area', page.locator('textarea'));
  await page.goto(`/dashboard${wide}`);
  await type('one of 199 text fields', page.getByRole('textbox', { name: 'Text 100', exact: true }));
  await type('a rich text of 50 KB', page.locator('[contenteditable=true]').first());
  await context.close();
  return table(['ms after keydown', 'handled: median', 'p99', 'most', 'painted: median', 'p99', 'most'], rows);
}

/**
 * Runs in the page: notes how long after its keydown each key is handled, with the rendering it
 * causes, and how long until the main thread has finished the next frame.
 */
function watchKeys() {
  window.latencies = { handled: [], painted: [] };
  let pressed = 0;
  addEventListener('keydown', (event) => (pressed = event.timeStamp), true);
  addEventListener('input', () => {
    const from = pressed;
    queueMicrotask(() => window.latencies.handled.push(performance.now() - from));
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.latencies.painted.push(performance.now() - from);
      port2.postMessage(null);
    });
  });
}

const memberCount = 1_000;
const steps = 300;

/** Creates and submits a release of changed articles, and returns the path of its page. */
async function submittedRelease() {
  const context = await browser.newContext({ baseURL: facts.baseUrl, storageState: await signedIn('editor') });
  const call = async (method, path, data) => {
    const response = await context.request.fetch(`/api${path}`, { method, headers: { Origin: facts.baseUrl }, data });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    return response.json();
  };
  const content = `${project}/collections/${facts.collections.articles}/content`;
  const ids = [];
  for (let offset = 0; ids.length < memberCount; offset += 500) ids.push(...(await call('GET', `${content}?state=published&limit=500&offset=${offset}`)).data.map(({ id }) => id));
  ids.length = memberCount;
  for (let i = 0; i < memberCount; i += 10) await Promise.all(ids.slice(i, i + 10).map((id, k) => call('PATCH', `${content}/${id}`, { fields: { title: `Member ${i + k}` } })));
  const { id } = await call('POST', `${project}/releases`, { name: 'Many' });
  for (let i = 0; i < memberCount; i += 500) await call('POST', `${project}/releases/${id}/members`, { members: ids.slice(i, i + 500).map((entryId) => ({ entryId })) });
  await call('POST', `${project}/releases/${id}/publish`, {});
  await context.close();
  return `${project}/releases/${id}`;
}

/** Goes through the members of a release with J, and back with K. */
async function members() {
  const path = await submittedRelease();
  const context = await newContext(await signedIn('projectAdmin'));
  const page = await context.newPage();
  await page.goto(`/dashboard${path}`);
  await page.locator('article h1').waitFor();
  await page.locator('article').focus();
  const rows = [];
  for (const [name, key] of [['J through 300 of 1,000 members', 'j'], ['K back', 'k']]) {
    await page.evaluate(watchMembers, key);
    for (let n = 0; n < steps; n++) {
      await page.keyboard.press(key);
      await page.waitForFunction((n) => window.latencies.content.length > n, n);
    }
    const { marked, content, most } = await page.evaluate(() => window.latencies);
    rows.push([name, ...[marked, content].flatMap((times) => [50, 99, 100].map((p) => percentile(times, p).toFixed(1))), most]);
  }
  await context.close();
  return table(['ms from key to paint', 'in the list: median', 'p99', 'most', 'changes: median', 'p99', 'most', 'most rows in the DOM'], rows);
}

/** Runs in the page: notes how long after a key the list marks another member, and its changes are shown. */
function watchMembers(key) {
  window.latencies = { marked: [], content: [], most: 0 };
  const current = () => document.querySelector('li[aria-posinset] > a[aria-current]')?.closest('li').getAttribute('aria-posinset');
  addEventListener('keydown', (event) => {
    if (event.key !== key) return;
    const [pressed, before, { latencies }] = [event.timeStamp, current(), window];
    let isMarked = false;
    /** Calls a function when the main thread has finished the frame. */
    const painted = (done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - pressed);
      port2.postMessage(null);
    };
    const look = () => {
      latencies.most = Math.max(latencies.most, document.querySelectorAll('li[aria-posinset]').length);
      if (!isMarked && current() && current() !== before) {
        isMarked = true;
        painted((time) => latencies.marked.push(time));
      }
      if (isMarked && document.querySelector('article h1')) return painted((time) => latencies.content.push(time));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, true);
}

/** Scrolls the table of articles steadily, then by leaps, and jumps to its end. */
async function scrolling() {
  const context = await newContext(await signedIn('projectAdmin'));
  const page = await context.newPage();
  await page.goto(`/dashboard${articles}`);
  const grid = page.getByRole('grid');
  await page.locator('#row-0 a').waitFor();
  await page.waitForFunction(() => Number(document.querySelector('[role=grid]').ariaRowCount) > 0);
  const box = await grid.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const rows = [];
  const watch = async (name, scroll) => {
    await page.evaluate(watchRows);
    await scroll();
    const { frames, blank, stale, longest } = await page.evaluate(() => (window.watching = false, window.seen));
    rows.push([name, frames, blank, stale, longest.toFixed(0)]);
  };
  await watch('steadily, 10,000 px/s', async () => {
    for (const until = Date.now() + 10_000; Date.now() < until; await page.waitForTimeout(25)) await page.mouse.wheel(0, 250);
  });
  await watch('by leaps of up to 300,000 px', async () => {
    for (const until = Date.now() + 5_000; Date.now() < until; ) {
      for (const delta of [200, 400, 1_000, 3_000, 20_000, -1_500]) {
        await page.mouse.wheel(0, delta);
        await page.waitForTimeout(50);
      }
      await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop += 300_000));
      await page.waitForTimeout(500);
    }
    await page.waitForTimeout(3_000);
  });
  await grid.focus();
  const pressed = Date.now();
  await page.keyboard.press('End');
  const last = Number(await grid.getAttribute('aria-rowcount'));
  await page.locator(`[role=row][aria-rowindex="${last}"] a`).waitFor();
  rows.push([`End, to row ${last - 1}`, '', '', '', Date.now() - pressed]);
  await context.close();
  return table(['scrolled', 'frames', 'with an empty row', 'with a row empty for over a second', 'longest time of an empty row in ms'], rows);
}

/** Runs in the page: notes at each frame which positions in view show a row without content, or none. */
function watchRows() {
  window.seen = { frames: 0, blank: 0, stale: 0, longest: 0 };
  window.watching = true;
  const grid = document.querySelector('[role=grid]');
  const { top, left, width, height } = grid.getBoundingClientRect();
  const since = new Map(); // by row, or by place on the screen where no row is
  const look = () => {
    const now = performance.now();
    const empty = new Set();
    for (let y = top + 60; y < top + height - 20; y += 40) {
      const row = document.elementFromPoint(left + width / 2, y)?.closest('[role=row]');
      if (!row?.querySelector('a')) empty.add(row?.ariaRowIndex ?? row?.getAttribute('aria-rowindex') ?? `y ${y}`);
    }
    for (const key of since.keys()) if (!empty.has(key)) since.delete(key);
    for (const key of empty) if (!since.has(key)) since.set(key, now);
    const longest = Math.max(0, ...[...since.values()].map((at) => now - at));
    window.seen.frames++;
    if (empty.size > 0) window.seen.blank++;
    if (longest > 1_000) window.seen.stale++;
    window.seen.longest = Math.max(window.seen.longest, longest);
    if (window.watching) requestAnimationFrame(look);
  };
  look();
}

function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const parts = { pages, interactive, preloading, typing, scrolling, members };
try {
  console.log(await parts[process.argv[2]]());
} finally {
  await browser.close();
}
