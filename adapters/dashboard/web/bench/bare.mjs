import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const slower = 4; // times

/**
 * Runs use in a Chromium of its own, with a new profile on disk, as people have it: a private window
 * keeps no compiled code. Not by Playwright, whose own scripts and listeners in a page take a
 * quarter of a second of a slowed processor.
 */
export async function inBareBrowser({ executablePath, args }, use) {
  const profile = mkdtempSync(join(tmpdir(), 'imprimatur-profile-'));
  const flags = ['--headless=new', '--window-size=1440,1000', '--force-prefers-reduced-motion', '--lang=en-GB', '--remote-debugging-pipe', `--user-data-dir=${profile}`];
  const chromium = spawn(executablePath, [...args, ...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = once(chromium, 'exit');
  const browser = new Browser(chromium.stdio[3], chromium.stdio[4]);
  try {
    await sleep(3_000); // Chromium loads pages of its own at first
    await use(browser);
  } finally {
    await browser.send('Browser.close');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }); // its processes end one by one
  }
}

/** Speaks the DevTools protocol over two pipes: JSON texts, each ended by a zero byte. */
class Browser {
  #out;
  #id = 0;
  #waiting = new Map();

  constructor(out, input) {
    this.#out = out;
    let text = '';
    input.setEncoding('utf8').on('data', (chunk) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop();
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  #receive({ id, result, error }) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(++this.#id, { resolve, reject });
      this.#out.write(`${JSON.stringify({ id: this.#id, method, params, sessionId })}\0`);
    });
  }

  /** Loads a page on a slowed processor, with a script before its own, and returns the value of an expression once it has one. */
  async visit(url, script, expression) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method, params) => this.send(method, params, sessionId);
    await send('Page.enable');
    await send('Page.addScriptToEvaluateOnNewDocument', { source: script });
    await send('Emulation.setCPUThrottlingRate', { rate: slower });
    await send('Page.navigate', { url });
    let value;
    while (value === undefined) {
      await sleep(2_500); // seldom: asking takes time of the page; and for the browser to store what it compiled
      value = (await send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
    }
    await this.send('Target.closeTarget', { targetId });
    return value;
  }
}
