import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** A file of texts: src/texts/de.ts?inbox. */
const textsFile = /\/texts\/(\w+)\.ts\?(\w+)$/;

/**
 * Adds an async script to index.html and the manifest that does not wait for the bundle. In the file, TEXTS stands for
 * the paths of the files of texts by language and area, of the areas that the script names.
 */
export function early(path: string): Plugin {
  return {
    name: 'early',
    apply: 'build',
    generateBundle: {
      order: 'pre', // before index.html is written
      handler(_, bundle) {
        const script = readFileSync(path, 'utf8');
        const texts: Record<string, Record<string, string>> = {};
        for (const part of Object.values(bundle)) {
          const [, language, area] = (part.type === 'chunk' && textsFile.exec(part.facadeModuleId ?? '')) || [];
          if (language && area && script.includes(`'${area}'`)) (texts[language] ??= {})[area] = `/dashboard/${part.fileName}`;
        }
        this.emitFile({ type: 'asset', name: 'early.js', originalFileName: path, source: script.replace('TEXTS', JSON.stringify(texts)) });
      },
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
