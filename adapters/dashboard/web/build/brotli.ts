import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';

/** Replaces each built file by its Brotli-compressed form, which the Go program embeds. */
export function brotli(): Plugin {
  let dir: string;
  return {
    name: 'brotli',
    apply: 'build',
    configResolved(config) {
      dir = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      for (const file of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || file.name.endsWith('.br')) continue;
        const path = join(file.parentPath, file.name);
        const content = await readFile(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        await writeFile(`${path}.br`, brotliCompressSync(content, { params }));
        await rm(path);
      }
    },
  };
}
