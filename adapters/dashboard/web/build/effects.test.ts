import ts from 'typescript';
import { expect, test } from 'vitest';
import { strayResults } from './effects.mjs';

const react = `
type Destructor = () => void;
declare function useEffect(effect: () => void | Destructor, dependencies?: unknown[]): void;
declare function useCallback<T extends Function>(callback: T, dependencies: unknown[]): T;
declare function useOther(callback: () => void): void;
declare function Show(props: { ref?: ((element: Element | null) => void | Destructor) | { current: unknown } | null }): JSX.Element;
declare namespace JSX { interface Element {} interface ElementAttributesProperty { props: {} } }
interface Element { scrollIntoView(): void; count(): number }
declare const element: Element | undefined;
declare const subscribe: (() => Destructor);
`;

/** Whether the check finds fault with this code. */
function isFault(code: string) {
  const name = '/page.tsx';
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (file, version) => (file === name ? ts.createSourceFile(file, react + code, version, true) : undefined),
    fileExists: (file) => file === name,
    readFile: () => undefined,
    getCurrentDirectory: () => '/',
  };
  return strayResults(ts.createProgram([name], { noLib: true, strict: true, jsx: ts.JsxEmit.Preserve }, host)).length > 0;
}

test.each([
  'useEffect(() => element?.scrollIntoView());',
  'useEffect(() => element!.scrollIntoView(), []);',
  'useEffect(() => element!.count() as any);',
  'useEffect(() => { if (element) return element.scrollIntoView(); });',
  'useEffect(() => (element ? element.scrollIntoView() : undefined));',
  'useEffect(function () { return element!.scrollIntoView(); });',
  'function effect() { return element!.scrollIntoView(); } useEffect(effect);',
  'const effect = useCallback(() => element!.scrollIntoView(), []); useEffect(effect);',
  'export const page = <Show ref={(box) => box?.scrollIntoView()} />;',
])('is a fault: %s', (code) => expect(isFault(code)).toBe(true));

test.each([
  'useEffect(() => void element?.scrollIntoView());',
  'useEffect(() => { element?.scrollIntoView(); });',
  'useEffect(() => subscribe());',
  'useEffect(() => () => element?.scrollIntoView());',
  'useEffect(() => { if (!element) return; element.scrollIntoView(); return () => element.scrollIntoView(); });',
  'useEffect(() => { [1].forEach(() => element!.scrollIntoView()); });',
  'useEffect(() => (element ? subscribe() : undefined));',
  'function effect() { element!.scrollIntoView(); } useEffect(effect);',
  'useOther(() => element!.scrollIntoView());',
  'const box = { current: null }; export const page = <Show ref={box} />;',
])('is none: %s', (code) => expect(isFault(code)).toBe(false));
