import type { Plugin } from 'vite';

/**
 * Makes Chromium compile all functions of a file in a background thread while the file loads.
 * Otherwise Chromium compiles each function at its first call.
 */
export function hints(): Plugin {
  return {
    name: 'hints',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post', // the comment must be at the start of the file
      handler(_, bundle) {
        for (const part of Object.values(bundle)) {
          if (part.type === 'chunk') part.code = `//# allFunctionsCalledOnLoad\n${part.code}`;
        }
      },
    },
  };
}
