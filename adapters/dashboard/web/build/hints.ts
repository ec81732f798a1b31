import type { Plugin } from 'vite';

/**
 * Asks Chromium to compile the functions of a file while it loads, in another thread. Most of them
 * run when a page opens, and would otherwise be compiled one by one when they do.
 */
export function hints(): Plugin {
  return {
    name: 'hints',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post', // the comment has to be the first of the file
      handler(_, bundle) {
        for (const part of Object.values(bundle)) {
          if (part.type === 'chunk') part.code = `//# allFunctionsCalledOnLoad\n${part.code}`;
        }
      },
    },
  };
}
