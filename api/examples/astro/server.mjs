// Serves the site, and builds it anew when the content changes.
//
//   node server.mjs          the build in dist
//
// PORT (4321), HOST (localhost). With CMS_WEBHOOK_SECRET it takes the messages of a webhook at
// POST /hooks/imprimatur. A build that fails leaves the site as it is.

import { verify } from '@imprimatur/client/webhooks';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import sirv from 'sirv';

const port = Number(process.env.PORT ?? 4321);
const secret = process.env.CMS_WEBHOOK_SECRET;
const maxMessage = 1 << 20; // bytes

/** Returns what serves a build: its files, and its pages that are made on demand. */
async function load(folder) {
  const { handler } = await import(pathToFileURL(`${folder}/server/entry.mjs`).href);
  const files = sirv(`${folder}/client`, { etag: true });
  return { folder, serve: (request, response) => files(request, response, () => handler(request, response)) };
}

let site = await load('dist');

let number = 0;
let running = false;
let asked = false;

/** Runs a build, and returns how it ended and what it printed. */
async function build(folder) {
  const child = spawn('npx', ['astro', 'build'], { env: { ...process.env, OUT_DIR: folder } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (printed += part));
  const code = await new Promise((done) => child.on('close', done));
  return { code, printed };
}

/** Builds the site; what is asked for meanwhile is one more build. */
async function rebuild() {
  asked = true;
  if (running) return;
  running = true;
  while (asked) {
    asked = false;
    const folder = `builds/${process.pid}-${++number}`;
    const started = Date.now();
    const { code, printed } = await build(folder);
    if (code !== 0) {
      console.error(`the build failed with ${code}; the site stays as it is\n${printed}`);
      continue;
    }
    const before = site;
    site = await load(folder);
    console.log(`built in ${Date.now() - started} ms: ${/\d+ changes, .*/.exec(printed)?.[0]}`);
    // Requests that the build before is answering may still read its files.
    if (before.folder !== 'dist') setTimeout(() => void rm(before.folder, { recursive: true, force: true }), 60_000).unref();
  }
  running = false;
}

async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > maxMessage) throw new Error('the message is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function hook(request, response) {
  try {
    await verify(await bodyOf(request), request.headers, secret);
  } catch (error) {
    response.writeHead(400, { 'Content-Type': 'text/plain' }).end(`${error.message}\n`);
    return;
  }
  response.writeHead(202).end();
  void rebuild();
}

const server = createServer((request, response) => {
  if (secret && request.method === 'POST' && request.url === '/hooks/imprimatur') void hook(request, response);
  else site.serve(request, response);
});
server.listen(port, process.env.HOST ?? 'localhost', () => console.log(`serving http://${process.env.HOST ?? 'localhost'}:${server.address().port}`));
function stop() {
  if (site.folder !== 'dist') rmSync(site.folder, { recursive: true, force: true });
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
