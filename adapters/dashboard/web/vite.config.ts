import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const output = '../dist';

/** Replaces each built file by its Brotli form, which is what the program embeds. */
function brotli(): Plugin {
  return {
    name: 'brotli',
    apply: 'build',
    async closeBundle() {
      const dir = join(import.meta.dirname, output);
      for (const file of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || file.name.endsWith('.br') || file.name === 'manifest.json') continue;
        const path = join(file.parentPath, file.name);
        const content = await readFile(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        await writeFile(path + '.br', brotliCompressSync(content, { params }));
        await rm(path);
      }
    },
  };
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' },
    brotli(),
  ],
  build: {
    outDir: output,
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: { input: { index: 'index.html', 'sign-in': 'src/styles/sign-in.css' } },
  },
  server: {
    proxy: Object.fromEntries(
      // The Host stays as the browser sent it: the program refuses changes whose Origin is not its own host.
      ['/api', '/files', '/public', '/dashboard/sign-in'].map((path) => [path, { target: process.env.IMPRIMATUR_URL ?? 'http://127.0.0.1:8080', changeOrigin: false }]),
    ),
  },
  test: { include: ['src/**/*.test.{ts,tsx}'] },
});
