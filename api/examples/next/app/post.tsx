import { edit } from '@imprimatur/client/preview';
import { richText, type Element, type Node } from '@imprimatur/client/rich-text';
import { createElement, type ReactNode } from 'react';
import type { Posts } from '../content';

/** A post, of the public page and of a preview alike. */
export function Post({ post, inPreview = false }: { post: Posts; inPreview?: boolean }) {
  const nodes = richText<Drawn>(post.body ?? '', {
    entry: ({ collection, slug, children }) => (slug ? { tag: 'a', attributes: { href: `/${collection}/${slug}` }, children } : { tag: 'span', attributes: {}, children }),
  });
  return (
    <article>
      <h1 {...edit(post, 'title', inPreview)}>{post.title}</h1>
      <div {...edit(post, 'body', inPreview)}>{nodes.map(draw)}</div>
    </article>
  );
}

/** An element of the text; links to entries become such elements. */
interface Drawn extends Element<Drawn> {}

function draw(node: Node<Drawn>, key: number): ReactNode {
  if (typeof node === 'string') return node;
  const { class: className, style: _, ...attributes } = node.attributes;
  return createElement(node.tag, { key, className, ...attributes }, ...node.children.map(draw));
}
