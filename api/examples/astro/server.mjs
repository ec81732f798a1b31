// Serves the site that "astro build" has made in dist.
//
// PORT (4321), HOST (localhost). With CMS_WEBHOOK_SECRET it takes the messages of a webhook at
// POST /hooks/imprimatur.

import { createServer } from 'node:http';
import sirv from 'sirv';
import { handler } from './dist/server/entry.mjs';

const host = process.env.HOST ?? 'localhost';
const files = sirv('dist/client', { etag: true });
const server = createServer((request, response) => files(request, response, () => handler(request, response)));
server.listen(Number(process.env.PORT ?? 4321), host, () => console.log(`serving http://${host}:${server.address().port}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
