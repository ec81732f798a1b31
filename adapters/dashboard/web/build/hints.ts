import type { Plugin } from 'vite';

/**
 * Asks Chromium to compile the functions of a file while it loads, in another thread. Otherwise it
 * compiles each one when it is first called.
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
