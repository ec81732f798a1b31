import type { Plugin } from 'vite';

/**
 * Asks Chromium to compile the functions of a chunk while it loads, in another thread. Most of the
 * first chunk runs at once, and would be compiled function by function when it does.
 */
export function hints(chunk: string): Plugin {
  return {
    name: 'hints',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post', // the comment has to be the first of the file
      handler(_, bundle) {
        for (const part of Object.values(bundle)) {
          if (part.type === 'chunk' && part.name === chunk) part.code = `//# allFunctionsCalledOnLoad\n${part.code}`;
        }
      },
    },
  };
}
