import { createElement, Fragment, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { elsewhere } from '../ui/elsewhere';
import styles from './compare.module.css';
import { unmarked, type Compared, type ComparedElement } from './compared';
import { parseHtml, type HtmlNode } from './html';
import { withUrls } from './links';
import { useNoteWords } from './notewords';
import { diffRichText, isBlockTag } from './richtext';
import { diffWords } from './words';

/** Text with marks for removed and added words. If before is undefined, after is shown without marks. */
export function Words({ before, after, locale }: { before?: string; after: string; locale?: string }) {
  if (before === undefined) return after;
  return diffWords(before, after, locale).map((p, i) => <Marked key={i} mark={p.mark}>{p.text}</Marked>);
}

/** Text of several lines. If before is given, lines are compared as paragraphs are. */
export function Lines({ before, after, locale }: { before?: string; after: string; locale?: string }) {
  if (before === undefined || !(before + after).includes('\n')) return <Words before={before} after={after} locale={locale} />;
  const lines = (text: string): HtmlNode[] => text.split('\n').map((line) => ({ tag: 'p', attrs: {}, children: line ? [line] : [] }));
  return <div className={styles.lines}>{shown(diffRichText(lines(before), lines(after), locale))}</div>;
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
  return <div className={styles.rich}>{shown(nodes)}</div>;
}

type Mark = ComparedElement['mark'];

function Marked({ mark, children }: { mark?: Mark; children: ReactNode }) {
  return mark === 'ins' ? <ins className={styles.ins}>{children}</ins> : mark === 'del' ? <del className={styles.del}>{children}</del> : children;
}

const shown = (nodes: Compared[], mark?: Mark, first?: ReactNode) => {
  let rest = first;
  return nodes.map((node, i) => {
    if ('text' in node) return node.text;
    const takes = rest !== undefined && !node.gap;
    const before = takes ? rest : undefined;
    if (takes) rest = undefined;
    return <Node key={i} node={node} inherited={mark} first={before} />;
  });
};

/** first is what a row shows at the beginning of its first cell. */
function Node({ node, inherited, first }: { node: ComparedElement; inherited?: Mark; first?: ReactNode }): ReactNode {
  const t = useTexts('common').prose;
  const words = useNoteWords();
  const { tag, notes, moved, seam } = node;
  const mark = node.mark ?? inherited;
  if (node.gap) return <td className={styles.gap} />;
  if (node.away) return inPlaceOf(tag, <small className={styles.away}>{(node.away.up ? t.movedUp : t.movedDown)(node.away.begins)}</small>);
  if (seam === 'del') return <Marked mark="del"><span title={t.joined} aria-label={t.joined} role="img">¶</span></Marked>;
  if (tag === '' && notes) {
    return (
      <>
        <span className={styles.format}>{shown(node.children)}</span>
        <small className={styles.note}> ({words(notes)})</small>
      </>
    );
  }
  if (!isBlockTag(tag)) return <Marked mark={node.mark}>{element(node, shown(node.children))}</Marked>;

  const said = notes?.length ? words(notes) : '';
  const before =
    first !== undefined || said || moved || seam ? (
      <>
        {first}
        {moved && <small className={styles.note}>{moved.up ? t.fromBelow : t.fromAbove} </small>}
        {said && <small className={styles.note}>{said} </small>}
        {seam && <Marked mark="ins"><span title={t.split} aria-label={t.split} role="img">¶</span></Marked>}
      </>
    ) : undefined;
  const inside = tag === 'li' || tag === 'td' || tag === 'th';
  const container = node.children.some((c) => !('text' in c) && isBlockTag(c.tag));
  if (mark && !container && node.children.length === 0 && !inside) return <Marked mark={mark}>{element(node, undefined)}</Marked>;
  const content = mark && !container ? <Marked mark={mark}>{shown(node.children)}</Marked> : shown(node.children, mark, tag === 'tr' ? before : undefined);
  if (inside) return element(node, <>{before}{content}</>);
  if (before === undefined || tag === 'tr' || partOfTable(tag)) return element(node, content);
  return (
    <div className={styles.changed} data-moved={moved && true}>
      {before}
      {element(node, content)}
    </div>
  );
}

const partOfTable = (tag: string) => ['thead', 'tbody', 'tfoot', 'colgroup', 'caption'].includes(tag);

/** An element that may stand where one with the tag does. */
function inPlaceOf(tag: string, children: ReactNode) {
  if (tag === 'tr') return <tr><td colSpan={1000}>{children}</td></tr>;
  if (tag === 'td' || tag === 'th') return <td>{children}</td>;
  if (tag === 'li') return <li>{children}</li>;
  return partOfTable(tag) ? null : <p>{children}</p>;
}

// The API decides which elements rich text may contain. Of an element that is not listed here, only the content is shown.
const known = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption colgroup col thead tbody tfoot tr td th figure figcaption address hr br wbr div section article aside details summary a strong em b i u s del ins strike sub sup small code kbd samp var tt q cite abbr dfn mark span time ruby rt rp bdi bdo img'.split(' '),
);
// The attributes that are kept, with their React names.
const kept: Record<string, string> = { colspan: 'colSpan', rowspan: 'rowSpan', start: 'start', reversed: 'reversed', title: 'title', lang: 'lang', dir: 'dir', datetime: 'dateTime', scope: 'scope' };

function element(node: ComparedElement, children: ReactNode): ReactNode {
  if (!known.has(node.tag)) return <Fragment>{children}</Fragment>;
  const props: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node.attrs)) if (kept[name]) props[kept[name]] = value;
  if (node.tag === 'img') return <Picture {...props} ours={node.attrs['data-media'] !== undefined} src={safe(node.attrs.src)} alt={node.attrs.alt ?? ''} loading="lazy" />;
  if (node.tag === 'br' || node.tag === 'hr' || node.tag === 'wbr' || node.tag === 'col') return createElement(node.tag, props);
  if (node.tag === 'a') return <a {...props} href={safe(node.attrs.href)} target="_blank" rel="noopener noreferrer">{children}</a>;
  if (node.tag === 'table') return <div className={styles.table} tabIndex={0} role="group">{createElement('table', props, children)}</div>;
  // Headings of the text are ranked below the headings of the page.
  const level = Number(/^h([1-5])$/.exec(node.tag)?.[1]);
  return createElement(level ? `h${Math.max(level + 1, 3)}` : node.tag, props, children);
}

/** A picture of this service, or the name of the site that serves it: the page loads none of other sites. */
function Picture({ ours, src, alt, ...props }: { ours: boolean; src?: string; alt: string; loading: 'lazy' }) {
  const { elsewhere: from } = useTexts('common').prose;
  const host = ours || src === undefined ? null : elsewhere(src);
  if (host === null) return <img {...props} src={src} alt={alt} />;
  return (
    <span className={styles.frame}>
      {from(host)} {alt}
    </span>
  );
}

/** Returns a URL if rich text may use it, otherwise undefined. */
function safe(address: string | undefined): string | undefined {
  return address !== undefined && /^(https?:|mailto:|tel:|sms:|geo:|webcal:|\/(?!\/)|#|[^:]*$)/i.test(address) ? address : undefined;
}
