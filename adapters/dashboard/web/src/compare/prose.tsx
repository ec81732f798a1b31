import { createElement, Fragment, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import styles from './compare.module.css';
import { parseHtml } from './html';
import { withUrls } from './links';
import { diffRichText, unmarked, type Compared } from './richtext';
import { diffWords } from './words';

/** Text with marks for removed and added words. If before is undefined, after is shown without marks. */
export function Words({ before, after, locale }: { before?: string; after: string; locale?: string }) {
  if (before === undefined) return after;
  return diffWords(before, after, locale).map((p, i) => <Marked key={i} mark={p.mark}>{p.text}</Marked>);
}

type UrlOf = (id: number) => string | undefined;
type RichTextProps = { before?: string; after: string; locale?: string; urls: { before: UrlOf; after: UrlOf } };

/**
 * Rich text as readers see it. If before is given, changes from before to after are marked. urls are the
 * URLs of media items by id.
 */
export function RichText({ before, after, locale, urls }: RichTextProps) {
  const is = withUrls(parseHtml(after), urls.after);
  const nodes = before === undefined ? unmarked(is) : diffRichText(withUrls(parseHtml(before), urls.before), is, locale);
  return <div className={styles.rich}>{nodes.map((node, i) => <Node key={i} node={node} />)}</div>;
}

function Marked({ mark, children }: { mark?: 'ins' | 'del'; children: ReactNode }) {
  return mark === 'ins' ? <ins className={styles.ins}>{children}</ins> : mark === 'del' ? <del className={styles.del}>{children}</del> : children;
}

// The API decides which elements rich text may contain. Of an element that is not listed here, only the content is shown.
const known = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption colgroup col thead tbody tfoot tr td th figure figcaption hr br wbr div section article aside details summary a strong em b i u s del ins strike sub sup small code kbd samp var tt q cite abbr dfn mark span time ruby rt rp bdi bdo img'.split(' '),
);
// The attributes that are kept, with their React names.
const kept: Record<string, string> = { colspan: 'colSpan', rowspan: 'rowSpan', start: 'start', reversed: 'reversed', title: 'title', lang: 'lang', dir: 'dir', datetime: 'dateTime', scope: 'scope' };

function Node({ node }: { node: Compared }): ReactNode {
  const t = useTexts('common').prose;
  if ('text' in node) return node.text;
  const inside = element(node);
  if (node.mark === 'ins' || node.mark === 'del') return <Marked mark={node.mark}>{inside}</Marked>;
  if (node.mark !== 'format') return inside;
  const says = node.was === undefined ? t.formatted : t.linked(node.was);
  // A span cannot contain block elements.
  if (node.tag) return <div className={styles.reformatted} title={says}>{inside}</div>;
  return (
    <span className={styles.format} title={says}>
      {inside}
      <span className="visually-hidden"> ({says})</span>
    </span>
  );
}

function element(node: Exclude<Compared, { text: string }>): ReactNode {
  const children = node.children.length > 0 ? node.children.map((child, i) => <Node key={i} node={child} />) : undefined;
  if (!known.has(node.tag)) return <Fragment>{children}</Fragment>;
  const props: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node.attrs)) if (kept[name]) props[kept[name]] = value;
  if (node.tag === 'img') return <img {...props} src={safe(node.attrs.src)} alt={node.attrs.alt ?? ''} loading="lazy" />;
  if (node.tag === 'a') return <a {...props} href={safe(node.attrs.href)} target="_blank" rel="noopener noreferrer">{children}</a>;
  if (node.tag === 'table') return <div className={styles.table} tabIndex={0} role="group">{createElement('table', props, children)}</div>;
  // Headings of the text are ranked below the headings of the page.
  const level = Number(/^h([1-5])$/.exec(node.tag)?.[1]);
  return createElement(level ? `h${Math.max(level + 1, 3)}` : node.tag, props, children);
}

/** Returns a URL if rich text may use it, otherwise undefined. */
function safe(address: string | undefined): string | undefined {
  return address !== undefined && /^(https?:|mailto:|tel:|\/(?!\/)|#|[^:]*$)/i.test(address) ? address : undefined;
}
