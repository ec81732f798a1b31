import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { brotli } from './build/brotli.ts';
import { early } from './build/early.ts';
import { hints } from './build/hints.ts';
import { layers } from './build/layers.ts';
import { licences } from './build/licences.ts';
import { languages } from './src/texts/languages.ts';

export default defineConfig({
  base: '/dashboard/',
  plugins: [
    react(),
    layers('tokens', 'base', 'shell', 'parts', 'pages'),
    { ...optimizeLocales.vite({ locales: Object.values(languages).map(({ controls }) => controls) }), enforce: 'pre' },
    licences(),
    early('src/early.js'),
    hints(),
    brotli(),
  ],
  resolve: { alias: [{ find: './useDefaultLocale.mjs', replacement: fileURLToPath(new URL('src/i18n/nodefault.ts', import.meta.url)) }] },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: { index: 'index.html', 'sign-in': 'src/styles/sign-in.css', frame: 'src/frame.ts' },
      output: {
        codeSplitting: {
          groups: [
            // What every page loads is one file: 25 small ones took longer.
            { name: 'index', tags: ['$initial'], test: (id) => !/\/(sign-in\.css|frame\.ts)$/.test(id) },
            // Small modules that pages share would be 17 more files for the editor, and cost it 5 % of its time to interactive.
            { name: 'common', minShareCount: 2, test: /lucide-react.dist.esm.icons|useQueries|queriesObserver|queryOptions|useBlocker|src.(api.rights|ui.(actor|focus|kept|order|tabs|width|usemedia|textfields)|comments.(pending|unsent)|content.(apibutton|statuschip|pageurl|seepage)|editor.(related|richtext.html|readvalue.module)|media.(data|thumbnail))\b/ },
            { name: 'controls', test: /react-aria.*(FocusScope|SelectionIndicator|SharedElementTransition)|src.ui.toggles/ },
            { name: 'entry', test: /src.editor.(store|context|controls.(relation|media|rows)|richtext.richtext.module)\b/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      // The Host stays as the browser sent it: the program refuses changes whose Origin is not its own host.
      ['/api', '/files', '/public', '/dashboard/sign-in'].map((path) => [path, { target: process.env.IMPRIMATUR_URL ?? 'http://127.0.0.1:8080', changeOrigin: false }]),
    ),
  },
  // The tests share no state. A module graph for each file would cost four times the processor time.
  test: { include: ['{src,build}/**/*.test.{ts,tsx}'], pool: 'threads', isolate: false, testTimeout: 60_000 },
});
