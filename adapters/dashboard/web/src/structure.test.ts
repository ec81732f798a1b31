import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

// The structure of the sources: what a file imports.

type Source = { imports: string[]; types: string[]; lazy: string[] };

/** What a source imports. Names of modules are relative to the source. */
function read(code: string): Source {
  const bare = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return {
    imports: [...bare.matchAll(/^(?:import|export)\b(?! type\b)[^;']*?'(\.[^']+)'/gm)].map((m) => m[1]!),
    types: [...bare.matchAll(/(?:^(?:import|export) type\b[^;']*?'|typeof import\(')(\.[^']+)'/gm)].map((m) => m[1]!),
    lazy: [...bare.matchAll(/(?<!typeof )import\('(\.[^']+)'\)/g)].map((m) => m[1]!),
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

/** The sources that each source imports, also those that load on demand and those of types. */
const graph = new Map([...sources].map(([name, { imports, types, lazy }]) => [name, [...imports, ...types, ...lazy].map((path) => target(name, path)).filter((one) => one !== undefined)]));

/** A circle of imports, such as ["a", "b", "a"]; undefined if there is none. */
function circle(of: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    path.push(name);
    for (const next of of.get(name) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(name);
    return undefined;
  };
  for (const name of of.keys()) {
    const found = visit(name);
    if (found) return found;
  }
  return undefined;
}

test('a circle is found', () => {
  expect(circle(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]]))).toEqual(['b', 'c', 'b']);
  expect(circle(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]]))).toBeUndefined();
});

test('imports of all kinds are found', () => {
  const { imports, types, lazy } = read(`
import type { A } from './a';
import { b,
  c } from '../b';
import './c.css';
export { d } from './d';
// import './not';
const E = lazy(() => import('./e'));
type F = typeof import('./f');
`);
  expect(imports).toEqual(['../b', './c.css', './d']);
  expect(types).toEqual(['./a', './f']);
  expect(lazy).toEqual(['./e']);
});

test('no source imports itself through others, not even on demand or for a type', () => {
  expect(sources.size).toBeGreaterThan(200);
  expect(circle(graph)).toBeUndefined();
});
