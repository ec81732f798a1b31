import ts from 'typescript';
import { expect, test } from 'vitest';
import { unusedTexts } from './check.mjs';

const catalogue = `export const inbox = {
  row: { late: 'Late', by: (name: string) => name, never: 'Never' },
  tabs: { waiting: 'Waiting', failed: 'Failed' },
  columns: { id: 'Id', locale: 'Language' },
  other: { title: 'Title' },
};`;

/** The unused texts of the catalogue beside a page with this code. */
function unused(code: string) {
  const files: Record<string, string> = { '/texts.ts': catalogue, '/page.ts': `import { inbox } from './texts';\n${code}` };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (name, version) => (files[name] === undefined ? undefined : ts.createSourceFile(name, files[name], version, true)),
    fileExists: (name) => name in files,
    readFile: (name) => files[name],
    getCurrentDirectory: () => '/',
  };
  return unusedTexts(ts.createProgram(['/texts.ts', '/page.ts'], { noLib: true, strict: true }, host), '/texts.ts');
}

const all = ['inbox.row.late', 'inbox.row.by', 'inbox.row.never', 'inbox.tabs.waiting', 'inbox.tabs.failed', 'inbox.columns.id', 'inbox.columns.locale', 'inbox.other.title'];

test.each([
  ['', []],
  ['const t = inbox.row; export const text = t.late + t.by("Emil");', ['inbox.row.late', 'inbox.row.by']],
  ['const { title } = inbox.other; export { title };', ['inbox.other.title']],
  ['export const text = (key: "waiting" | "failed") => inbox.tabs[key];', ['inbox.tabs.waiting', 'inbox.tabs.failed']],
  ['export const text = inbox.tabs["failed"];', ['inbox.tabs.failed']],
  ['const names: { [name: string]: string } = inbox.columns; export { names };', ['inbox.columns.id', 'inbox.columns.locale']],
  ['const show = (t: { late: string }) => t.late; export const text = show(inbox.row);', ['inbox.row.late']],
  ['export const title = { title: "another" }.title;', []],
  ['export const text = (t: typeof inbox.row) => t.late;', ['inbox.row.late']],
])('%s', (code, used) => {
  expect(unused(code)).toEqual(all.filter((text) => !used.includes(text)));
});
