import type { Plugin } from 'vite';

/**
 * Starts every style sheet with the order of the layers. A page loads several, in an order that
 * depends on the page, and the first one that a browser reads decides.
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
