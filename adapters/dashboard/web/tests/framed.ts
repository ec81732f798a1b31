import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { facts } from './fixtures';

export type Site = {
  /** Its origin. */
  url: string;
  /** The paths of all requests, with their queries and referrers. */
  requests: string[];
  /** Answers the requests that are held at /slow/. */
  release: () => void;
  close: () => Promise<void>;
};

const source = join(import.meta.dirname, '../../../../api/client/src/preview.ts');
const module = () => ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } }).outputText;

/** A page that draws an entry of the Project by @imprimatur/client/preview, in the browser. */
const page = (uuid: string) => `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Site</title>
<main><h1></h1><p></p><a href="/mute/">Elsewhere</a></main>
<script type="module">
import { connect, edit } from '/preview.js';
const [collection, id] = location.pathname.split('/').slice(2);
const mark = (element, path) => Object.entries(edit({ id: Number(id) }, path)).forEach(([name, value]) => element.setAttribute(name, value));
connect({ origin: '${facts.baseUrl}', async onChange({ token, change }) {
  const response = await fetch('${facts.baseUrl}/public/v2/projects/${uuid}/collections/' + collection + '/entries/' + id + '?locale=en', { headers: { Authorization: 'Bearer ' + token } });
  const { title, text } = await response.json();
  if (title === 'Break') throw new Error('cannot be drawn');
  document.querySelector('h1').textContent = title;
  document.querySelector('p').textContent = text;
  mark(document.querySelector('h1'), 'title');
  mark(document.querySelector('p'), 'text');
  document.body.dataset.change = change;
} });
</script>`;

/** A page that never listens. The frame in it says what a site says, from another window. */
const mute = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Mute</title><main><h1>Mute</h1></main><iframe title="Forger" src="/forger"></iframe>`;
const forger = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Forger</title><main aria-label="Forger"><h1>Forger</h1></main><script>
for (const to of [parent.parent, top]) {
  to.postMessage({ imprimatur: 1, type: 'ready' }, '*');
  to.postMessage({ frame: 'heard', message: { imprimatur: 1, type: 'shown', change: 0 } }, '*');
}
</script>`;

/** Starts a site that draws previews at /site/<collection>/<id>, and is broken in several ways at other paths. */
export async function framed(uuid: string, leadsTo = ''): Promise<Site> {
  const requests: string[] = [];
  const script = module();
  let held: (() => void)[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.url} ${request.headers.referer ?? ''}`);
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, kind = ''] = pathname.split('/');
    response.setHeader('Content-Type', `${kind === 'preview.js' ? 'text/javascript' : 'text/html'}; charset=utf-8`);
    if (kind === 'away') response.writeHead(302, { Location: leadsTo + pathname.replace('/away', '/site') }).end();
    else if (kind === 'slow') held.push(() => response.end(page(uuid)));
    else if (kind === 'denied') response.setHeader('X-Frame-Options', 'DENY').end(page(uuid));
    else response.end({ 'preview.js': script, site: page(uuid), mute, forger }[kind] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    requests,
    release: () => {
      for (const answer of held) answer();
      held = [];
    },
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}
