import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: process.env.SITE_URL ?? 'http://localhost:4321',
  // Pages are built ahead, save for search, previews and addresses that no page has.
  adapter: node({ mode: 'middleware' }),
  trailingSlash: 'always',
  outDir: process.env.OUT_DIR ?? 'dist',
  build: { inlineStylesheets: 'always' },
  // The only form that changes something is the session of previews, which checks its origin itself.
  security: { checkOrigin: false },
  devToolbar: { enabled: false },
});
