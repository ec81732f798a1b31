import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Has index.html run a script as soon as it arrives, before the others. It is a file of its own, as it is written. */
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
