import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

/** The licences that bundled packages may have. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'OFL-1.1'];

/** Writes licences.txt: the bundled packages with their licences. Fails if a licence is not allowed. */
export function licences(): Plugin {
  return {
    name: 'licences',
    apply: 'build',
    generateBundle(_, bundle) {
      const assets = Object.values(bundle).flatMap((part) => (part.type === 'asset' ? part.originalFileNames.map((name) => resolve(name)) : []));
      const roots = new Set([...this.getModuleIds(), ...assets].map(packageOf).filter((root) => root !== undefined));
      const texts = [...roots].map((root) => {
        const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        if (!allowed.includes(license)) this.error(`${name} has the licence ${license}`);
        const file = readdirSync(root).find((f) => /^licen[cs]e/i.test(f));
        return `${name} ${version} (${license})\n\n${file ? readFileSync(join(root, file), 'utf8').trim() : 'No text is in the package.'}\n`;
      });
      const source = texts.sort().join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
    },
  };
}

/** The root directory of the package of a module; undefined outside node_modules. */
function packageOf(id: string): string | undefined {
  const [, root] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  const empty = root?.endsWith('@react-aria/optimize-locales-plugin'); // an empty stub for the texts of other locales
  return root && !empty && existsSync(join(root, 'package.json')) ? root : undefined;
}
