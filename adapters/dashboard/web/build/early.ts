import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Adds an async script to index.html that does not wait for the bundle. The file is emitted unchanged. */
export function early(path: string): Plugin {
  return {
    name: 'early',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'early.js', source: readFileSync(path) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const file = Object.values(bundle).find((one) => one.type === 'asset' && one.names.includes('early.js'))!;
        return [{ tag: 'script', attrs: { async: true, src: `/dashboard/${file.fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}
