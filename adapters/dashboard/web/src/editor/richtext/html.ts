// Rich text is HTML that the API has sanitised. The Trusted Types policy below only lets the parser
// read it into a separate document, which loads and runs nothing.

import { elsewhere } from '../../ui/elsewhere';

type Policy = { createHTML: (html: string) => string };

let policy: Policy | undefined;

/** Parses rich text into the body of a separate document. */
export function parseHTML(html: string): HTMLElement {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('imprimatur-richtext', { createHTML: (text) => text }) ?? { createHTML: (text) => text };
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html').body;
}

/** Replaces the pictures of other sites, which the page does not load, by what name returns for their host. */
function framePictures(body: HTMLElement, name: (host: string) => string) {
  for (const image of body.querySelectorAll('img:not([data-media])')) {
    const host = elsewhere(image.getAttribute('src') ?? '');
    if (host === null) continue;
    const frame = body.ownerDocument.createElement('span');
    frame.setAttribute('data-frame', '');
    frame.textContent = [name(host), image.getAttribute('alt')].filter(Boolean).join(' ');
    image.replaceWith(frame);
  }
}

/**
 * Returns the elements of rich text for this page, without scripts and other active content. name is
 * the text instead of a picture of another host.
 */
export function fragmentOf(html: string, name: (host: string) => string): DocumentFragment {
  const body = parseHTML(html);
  framePictures(body, name);
  for (const element of body.querySelectorAll('script, style, iframe, object, embed, form, link, meta, base, svg, math')) element.remove();
  for (const element of body.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      const risky = name.startsWith('on') || name === 'style' || name === 'srcdoc' || (/^(href|src|action|formaction|cite)$/.test(name) && /^\s*(javascript|vbscript|data(?!:image\/))/i.test(value));
      if (risky) element.removeAttribute(name);
    }
  }
  const fragment = document.createDocumentFragment();
  fragment.append(...[...body.childNodes].map((node) => document.importNode(node, true)));
  return fragment;
}
