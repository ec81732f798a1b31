#!/usr/bin/env node
// Starts the Firefox of the system for Playwright, which knows the executable by its output. Firefox ESR
// lacks a command that Playwright sends for each page, to set the colour scheme: it is answered here.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

const lacking = new Set(['emulation.setMediaFeaturesOverride']);

const firefox = spawn(process.env.BROWSER_PATH ?? 'firefox-esr', process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
firefox.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => firefox.kill());
createInterface({ input: firefox.stderr }).on('line', (line) => {
  const [said, address] = /WebDriver BiDi listening on (ws:.*)$/.exec(line) ?? [line];
  if (address) relay(address);
  else console.error(said);
});

/** Passes the messages of a client on to Firefox and back. @param {string} address */
function relay(address) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('listening', () => console.error(`WebDriver BiDi listening on ws://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`));
  server.on('connection', (client) => {
    const browser = new WebSocket(`${address}/session`, { maxPayload: 0 });
    /** @type {string[]} */
    const waiting = [];
    browser.on('open', () => waiting.splice(0).forEach((message) => browser.send(message)));
    browser.on('message', (data) => client.send(String(data)));
    browser.on('close', () => client.close());
    browser.on('error', (error) => console.error(error));
    client.on('close', () => browser.close());
    client.on('message', (data) => {
      const { id, method } = JSON.parse(String(data));
      if (lacking.has(method)) client.send(JSON.stringify({ type: 'success', id, result: {} }));
      else if (browser.readyState === WebSocket.OPEN) browser.send(String(data));
      else waiting.push(String(data));
    });
  });
}
