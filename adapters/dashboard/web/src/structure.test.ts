import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

// The structure of the sources: what a file imports, and which texts it shows.

type Source = { imports: string[]; types: string[]; lazy: { path: string; texts: string[] }[]; texts: string[] };

/** What a source imports and which areas of texts it shows. Names of modules are relative to the source. */
function read(code: string): Source {
  const bare = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return {
    imports: [...bare.matchAll(/^(?:import|export)\b(?! type\b)[^;']*?'(\.[^']+)'/gm)].map((m) => m[1]!),
    types: [...bare.matchAll(/(?:^(?:import|export) type\b[^;']*?'|typeof import\(')(\.[^']+)'/gm)].map((m) => m[1]!),
    lazy: [...bare.matchAll(/(?<!typeof )import\('(\.[^']+)'\)((?:, '\w+')*)/g)].map((m) => ({ path: m[1]!, texts: m[2]!.match(/\w+/g) ?? [] })),
    texts: [...bare.matchAll(/useTexts\('(\w+)'\)/g)].map((m) => m[1]!),
  };
}

const root = import.meta.dirname;
const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !/\.(d|test)\.tsx?$/.test(name));
const sources = new Map(names.map((name) => [name, read(readFileSync(join(root, name), 'utf8'))]));

/** The source that an import means; undefined for other files, such as styles. */
function target(from: string, path: string) {
  const name = relative(root, join(root, dirname(from), path));
  return [name, `${name}.ts`, `${name}.tsx`].find((one) => sources.has(one));
}

const present = (values: (string | undefined)[]) => values.filter((value) => value !== undefined);
const staticImports = new Map([...sources].map(([name, { imports }]) => [name, present(imports.map((path) => target(name, path)))]));
const allImports = new Map([...sources].map(([name, { imports, types, lazy }]) => [name, present([...imports, ...types, ...lazy.map(({ path }) => path)].map((path) => target(name, path)))]));

/** A circle of imports, such as ["a", "b", "a"]; undefined if there is none. */
function circle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    path.push(name);
    for (const next of graph.get(name) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const found = visit(name);
    if (found) return found;
  }
  return undefined;
}

/** The source and all sources that it loads with itself. */
function together(name: string, found = new Set<string>()) {
  if (!found.has(name)) {
    found.add(name);
    staticImports.get(name)!.forEach((next) => together(next, found));
  }
  return found;
}

const textsOf = (name: string) => [...together(name)].flatMap((one) => sources.get(one)!.texts);

test('a circle is found', () => {
  expect(circle(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]]))).toEqual(['b', 'c', 'b']);
  expect(circle(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]]))).toBeUndefined();
});

test('imports of all kinds are found', () => {
  const { imports, types, lazy, texts } = read(`
import type { A } from './a';
import { b,
  c } from '../b';
import './c.css';
export { d } from './d';
// import './not';
const E = lazy(() => withTexts(import('./e'), 'media', 'editor'));
type F = typeof import('./f');
const t = useTexts('inbox').row;
`);
  expect(imports).toEqual(['../b', './c.css', './d']);
  expect(types).toEqual(['./a', './f']);
  expect(lazy).toEqual([{ path: './e', texts: ['media', 'editor'] }]);
  expect(texts).toEqual(['inbox']);
});

test('no source imports itself through others, not even on demand or for a type', () => {
  expect(sources.size).toBeGreaterThan(200);
  expect(circle(allImports)).toBeUndefined();
});

test('code that loads on demand comes with its texts', () => {
  for (const [name, { lazy }] of sources) {
    for (const { path, texts } of lazy) {
      const code = target(name, path);
      const loaded = ['common', ...texts, ...(name === 'router.tsx' ? [] : textsOf(name))];
      if (code) expect(textsOf(code).filter((area) => !loaded.includes(area)), `${name}: import('${path}')`).toEqual([]);
    }
  }
});
