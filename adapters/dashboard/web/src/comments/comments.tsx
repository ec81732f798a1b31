import { useQuery } from '@tanstack/react-query';
import { MessageSquarePlus } from 'lucide-react';
import { Fragment, useCallback, useEffect, useMemo, useState, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { commentsQuery, requestQuery, type Request, type Subject } from '../review/queries';
import { Chip, Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { focusNext } from '../ui/focus';
import { Checkbox } from '../ui/toggles';
import { useShortcuts } from '../ui/shortcuts';
import { anchorOf, focusedAnchor, rangeOf, type Anchor } from './anchor';
import styles from './comments.module.css';
import { Composer } from './composer';
import { inputOf } from './input';
import { usePending } from './pending';
import { actionsFor, type Comment } from './queries';
import { Thread } from './thread';
import { useUnsent } from './unsent';

export type CommentsProps = {
  subject: Subject;
  /** The fields that a comment can be about. */
  fields: readonly Schemas['Field'][];
  /** The member of a release whose fields the page shows. */
  entryId?: number;
  /** The element with the fields; undefined: the comments are those on a release as a whole, which stand before those on a member. */
  root?: RefObject<HTMLElement | null>;
  /** Whether the page shows the snapshot, so that passages can be commented. */
  selects?: boolean;
  /** Goes on to other comments than those of the page: later (1) or earlier ones (-1). */
  beyond?: (step: 1 | -1) => void;
  /** Puts a suggestion into the draft; returns whether the passage was there. */
  apply?: (comment: Comment) => boolean;
};

/** The comments on the request of a page: each beside its field, the others here. */
export function Comments(props: CommentsProps) {
  const request = useQuery(requestQuery(props.subject)).data;
  return request ? <All key={request.id} {...props} request={request} /> : null;
}

const placeOf = ({ field, key, quote }: Anchor): Anchor => ({ field, key, quote });

/** The name of the field of the entry that a comment is in; empty: the whole entry. */
const slotOf = ({ field }: Pick<Comment, 'field'>) => /^[^.[]*/.exec(field ?? '')![0];

/** The root of the comments on a release as a whole. */
const nowhere: RefObject<HTMLElement | null> = { current: null };

function All({ subject, request, fields, entryId, root: given, selects, beyond, apply }: CommentsProps & { request: Request }) {
  const t = useTexts('comments');
  const whole = given === undefined;
  const root = given ?? nowhere;
  const format = useFormat();
  const { data, error, refetch } = useQuery(commentsQuery(subject));
  const actions = actionsFor(subject);
  const [closed, showClosed] = useState(false);
  const [unsent, setUnsent] = useUnsent(request.id, entryId);
  const [started, setStarted] = useState(false);
  const isWritten = !!unsent?.text.trim();
  const [selected, setSelected] = useState<Anchor & { rect: DOMRect }>();
  const [pending, setPending] = usePending(request.id);
  const slots = useSlots(root);
  const isOpen = request.status === 'pending' || request.status === 'approved';
  const draft = isOpen && (started || isWritten) ? unsent?.at : undefined;

  const isHere = (c: { entryId?: number }) => (whole ? c.entryId === undefined : entryId === undefined || c.entryId === entryId);
  const any = (data?.data.length ?? 0) > 0;
  const all = (data?.data ?? []).filter(isHere);
  const threads = all.filter((c) => c.parent === undefined && (c.state !== 'deleted' || all.some((r) => r.parent === c.id && r.state !== 'deleted')));
  const waits = (c: Comment) => c.state === 'open' || all.some((r) => r.parent === c.id && r.state === 'open');
  const open = threads.filter(waits);
  const shown = threads.filter((c) => closed || waits(c));
  const slot = (c: Pick<Comment, 'field' | 'outdated'>) => (c.outdated ? undefined : slots.get(slotOf(c)));
  const number = new Map([...shown].sort((a, b) => order(fields, slotOf(a), slotOf(b)) || a.id - b.id).map((c, i) => [c.id, i + 1]));

  // The place of a comment, marked in the text.
  const marks = JSON.stringify(shown.filter((c) => c.quote && !c.outdated).map((c) => ({ field: c.field, key: c.key, quote: c.quote })));
  useEffect(() => {
    if (!selects || !('highlights' in CSS) || !root.current) return;
    const ranges = [...(JSON.parse(marks) as Anchor[]), ...(draft?.quote ? [draft] : [])].flatMap((anchor) => rangeOf(root.current!, anchor) ?? []);
    CSS.highlights.set('comments', new Highlight(...ranges));
    return () => void CSS.highlights.delete('comments');
  }, [marks, draft, selects, root, slots]);

  useEffect(() => {
    if (!selects || !isOpen) return;
    const onSelect = () => setSelected(root.current ? anchorOf(document.getSelection(), root.current) : undefined);
    document.addEventListener('selectionchange', onSelect);
    return () => document.removeEventListener('selectionchange', onSelect);
  }, [selects, isOpen, root]);

  const startAt = useCallback(
    (at: Anchor) => {
      setStarted(true);
      setUnsent({ at, about: at, entryId, text: '', people: [] });
      setSelected(undefined);
    },
    [entryId, setUnsent],
  );
  const start = useCallback(() => {
    // Words that are not sent yet stay where they are.
    if (isWritten) return document.querySelector<HTMLElement>('[data-composer] textarea')?.focus();
    const found = root.current ? anchorOf(document.getSelection(), root.current) : undefined;
    startAt(found ? placeOf(found) : ((root.current && focusedAnchor(root.current)) ?? {}));
  }, [root, isWritten, startAt]);

  const cards = () => [...document.querySelectorAll<HTMLElement>('[data-comment]')];
  const move = useCallback((step: 1 | -1) => {
    const found = cards();
    const at = found.findIndex((card) => card.contains(document.activeElement));
    const next = found[at < 0 ? (step > 0 ? 0 : found.length - 1) : at + step];
    if (!next) return beyond?.(step);
    next.focus();
    next.scrollIntoView({ block: 'center' });
  }, [beyond]);
  const resolve = useCallback(() => {
    cards()
      .find((card) => card.contains(document.activeElement))
      ?.querySelector<HTMLElement>('[data-resolve]')
      ?.click();
  }, []);
  useShortcuts(
    useMemo(
      () => [
        ...(isOpen && !whole ? [{ key: 'c', label: t.keys.comment, run: start }] : []),
        ...(any ? [{ key: 'n', label: t.keys.next, run: () => move(1) }, { key: 'p', label: t.keys.previous, run: () => move(-1) }, { key: 'e', label: t.keys.resolve, run: resolve }] : []),
      ],
      [isOpen, whole, any, start, move, resolve, t],
    ),
  );

  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data || (!isOpen && all.length === 0 && !isWritten)) return null;

  const close = () => {
    setStarted(false);
    setUnsent(undefined);
  };
  const send = async (withDecision: boolean) => {
    if (!unsent) return;
    const body = inputOf(unsent);
    if (withDecision) setPending([...pending, body]);
    else {
      const made = await actions.add(body);
      focusNext(() => document.querySelector<HTMLElement>(`[data-comment="${made.id}"]`));
    }
    close();
  };
  const cancel = () => {
    close();
    focusNext(() => root.current);
  };
  const composer = draft && unsent && <Composer subject={subject} request={request} fields={fields} comment={unsent} onChange={(changed) => (setStarted(true), setUnsent(changed))} onSend={send} onCancel={cancel} autoFocus={started} />;
  const about = (c: { field?: string; key?: string }) => labelOf(fields, c, whole ? t.onRelease : t.whole);
  const thread = (c: Comment) => (
    <Thread key={c.id} comment={c} replies={all.filter((r) => r.parent === c.id)} number={number.get(c.id)!} label={about(c)} subject={subject} request={request} actions={actions} writes={isOpen} apply={apply} />
  );
  const here = (name: string) => shown.filter((c) => slot(c) !== undefined && slotOf(c) === name);
  const draftSlot = draft?.field !== undefined ? slots.get(slotOf(draft)) : undefined;
  const elsewhere = shown.filter((c) => slot(c) === undefined);
  const must = open.filter((c) => c.must !== undefined).length;
  return (
    <section className={styles.comments} aria-label={whole ? t.onRelease : t.title} data-comments-panel>
      <div className={styles.bar}>
        <h2>{whole ? t.onRelease : t.title}</h2>
        {must > 0 && <Chip tone="wait">{t.must(must, format.number(must))}</Chip>}
        {open.length > 0 && <Chip>{t.open(open.length, format.number(open.length))}</Chip>}
        {threads.length > open.length && (
          <Checkbox isSelected={closed} onChange={showClosed}>
            {t.showClosed(threads.length - open.length, format.number(threads.length - open.length))}
          </Checkbox>
        )}
        {isOpen && (
          <Button kind="quiet" icon={<MessageSquarePlus aria-hidden />} shortcut={whole ? undefined : 'C'} onPress={start}>
            {t.comment}
          </Button>
        )}
      </div>
      {pending.some(isHere) && (
        <ul className={styles.pending} aria-label={t.withDecision}>
          {pending.map((c, i) => isHere(c) && (
            <li key={i}>
              <small>
                {t.goesWithDecision} {about(c)}
              </small>
              <p dir="auto">{c.text}</p>
              <Button kind="quiet" onPress={() => setPending(pending.filter((_, n) => n !== i))}>
                {t.discard}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {!isOpen && unsent && isWritten && (
        <Note tone="wait">
          <p>{t.notSent}</p>
          <p className={styles.text} dir="auto">{unsent.text}</p>
          <Button kind="quiet" onPress={close}>
            {t.discard}
          </Button>
        </Note>
      )}
      {draftSlot ? null : composer}
      {elsewhere.map(thread)}
      {[...slots].map(([name, element]) => {
        const found = here(name);
        if (found.length === 0 && draftSlot !== element) return null;
        return (
          <Fragment key={name}>
            {createPortal(
              <div className={styles.beside}>
                {draftSlot === element && composer}
                {found.map(thread)}
              </div>,
              element,
            )}
          </Fragment>
        );
      })}
      {selected && !draft && (
        <div className={styles.float} style={{ top: Math.max(64, selected.rect.top - 44), left: Math.max(8, Math.min(selected.rect.left, window.innerWidth - 160)) }} onMouseDown={(event) => event.preventDefault()}>
          <Button kind="primary" icon={<MessageSquarePlus aria-hidden />} excludeFromTabOrder onPress={() => startAt(placeOf(selected))}>
            {t.comment}
          </Button>
        </div>
      )}
    </section>
  );
}

const order = (fields: readonly Schemas['Field'][], a: string, b: string) => fields.findIndex((f) => f.name === a) - fields.findIndex((f) => f.name === b);

/** What a comment is about, for people. */
function labelOf(fields: readonly Schemas['Field'][], { field, key }: { field?: string; key?: string }, whole: string) {
  if (!field) return whole;
  const label = fields.find((f) => f.name === slotOf({ field }))?.label ?? slotOf({ field });
  const rest = field.slice(slotOf({ field }).length).replace(/\[[^\]]*\]/g, '').split('.').filter(Boolean);
  return [label, ...rest].join(' › ') + (key ? ' ›' : '');
}

/** The elements of the page for the comments on fields, by the name of the field. */
function useSlots(root: RefObject<HTMLElement | null>) {
  const [slots, setSlots] = useState<ReadonlyMap<string, HTMLElement>>(new Map());
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const find = () =>
      setSlots((old) => {
        const found = new Map([...element.querySelectorAll<HTMLElement>('[data-comments]')].map((slot) => [slot.dataset.comments!, slot]));
        return found.size === old.size && [...found].every(([name, slot]) => old.get(name) === slot) ? old : found;
      });
    find();
    const observer = new MutationObserver(find);
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [root]);
  return slots;
}
