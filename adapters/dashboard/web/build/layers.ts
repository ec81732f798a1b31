import type { Plugin } from 'vite';

/**
 * Declares the order of the cascade layers at the start of every style sheet. The order of the style
 * sheets depends on the page, and the first declaration that the browser reads applies.
 */
export function layers(...names: string[]): Plugin {
  return {
    name: 'layers',
    enforce: 'pre',
    transform(code, id) {
      return /\.css($|\?)/.test(id) && id.includes('/src/') ? `@layer ${names.join(', ')};\n${code}` : undefined;
    },
  };
}
