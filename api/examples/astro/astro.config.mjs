import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: process.env.SITE_URL ?? 'http://localhost:4321',
  // Pages are drawn at their first request after a change; see src/middleware.ts.
  output: 'server',
  adapter: node({ mode: 'middleware' }),
  trailingSlash: 'ignore',
  build: { inlineStylesheets: 'always' },
  // The forms that change something are the session of previews, which checks its origin itself, and the webhook, which is signed.
  security: { checkOrigin: false },
  devToolbar: { enabled: false },
});
