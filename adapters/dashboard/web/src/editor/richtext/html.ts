// Rich text is HTML that the API has sanitised. The Trusted Types policy below only lets the parser
// read it into a separate document, which loads and runs nothing.

type Policy = { createHTML: (html: string) => string };

let policy: Policy | undefined;

/** Parses rich text into the body of a separate document. */
export function parseHTML(html: string): HTMLElement {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('imprimatur-richtext', { createHTML: (text) => text }) ?? { createHTML: (text) => text };
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html').body;
}

/** Returns the elements of rich text for this page, without scripts and other active content. */
export function fragmentOf(html: string): DocumentFragment {
  const body = parseHTML(html);
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
