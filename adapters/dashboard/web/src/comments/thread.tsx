import { Check, CheckCheck } from 'lucide-react';
import { useState } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { useStepName } from '../review/steps';
import type { Request, Subject } from '../review/queries';
import { Chip, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { focusNext } from '../ui/focus';
import { TextArea } from '../ui/textfields';
import { useKept } from '../ui/kept';
import { toast } from '../ui/toast';
import styles from './comments.module.css';
import { withIds, withNames } from './names';
import { NamingArea } from './naming';
import type { actionsFor, Comment, Person } from './queries';

type ThreadProps = {
  comment: Comment;
  replies: Comment[];
  number: number;
  /** What it is about. */
  label: string;
  subject: Subject;
  request: Request;
  actions: ReturnType<typeof actionsFor>;
  /** Whether the request is open. */
  writes: boolean;
  apply?: (comment: Comment) => boolean;
};

/** What is written in a box, and who is named in it. */
type Words = { text: string; people: readonly Person[] };

/** A comment with its replies. */
export function Thread({ comment, replies, number, label, subject, request, actions, writes, apply }: ThreadProps) {
  const t = useTexts('comments');
  const stepName = useStepName();
  const me = useSession().id;
  const [started, ask] = useState<'reply' | 'reason'>();
  const [reply, setReply] = useKept<Words>(`${me} reply ${comment.id}`);
  const [reason, setReason] = useKept<string>(`${me} reason ${comment.id}`);
  const { text, people } = reply ?? { text: '', people: [] };
  const asks = started ?? (text.trim() ? 'reply' : reason?.trim() ? 'reason' : undefined);
  /** Ends the open box and what is written in it. */
  const end = () => {
    ask(undefined);
    (asks === 'reply' ? setReply : setReason)(undefined);
  };
  const [error, setError] = useState<ApiError>();
  const [isPending, setIsPending] = useState(false);
  const step = comment.must === undefined ? undefined : request.steps[Math.min(comment.must, request.steps.length) - 1];
  const attempt = async (run: () => Promise<void | Comment>) => {
    if (isPending) return;
    setIsPending(true);
    setError(undefined);
    try {
      await run();
      end();
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setIsPending(false);
    }
  };
  /** Resolves it, and goes on with the next one if it is no longer shown. */
  const close = async (reason?: string) => {
    const cards = [...document.querySelectorAll<HTMLElement>('[data-comment]')];
    const at = cards.findIndex((card) => card.dataset.comment === String(comment.id));
    await actions.resolve(comment.id, reason);
    focusNext(() => {
      const left = cards.filter((card) => card.isConnected);
      return left[Math.min(at, left.length - 1)] ?? document.querySelector<HTMLElement>('[data-comments-panel] button');
    });
  };
  const sendReply = () => text.trim() && void attempt(() => actions.add({ text: withIds(text.trim(), people), parent: comment.id }));
  const resolve = () => (comment.resolveNeedsReason ? ask('reason') : void attempt(() => close()));
  const closed = comment.state === 'resolved';
  return (
    <article className={styles.thread} tabIndex={-1} aria-label={t.by(comment.by.name, label)} data-comment={comment.id} data-must={(comment.state === 'open' && step !== undefined) || undefined} data-closed={closed || undefined}>
      <header>
        <span className={styles.number} aria-hidden>
          {number}
        </span>
        <b>{comment.by.name}</b>
        {step && <Chip tone="wait">{t.mustChip(stepName(step))}</Chip>}
        {comment.outdated && <Chip>{t.outdated}</Chip>}
        <Time value={comment.at} />
      </header>
      <p className={styles.place}>
        {label}
        {comment.quote && comment.replace === undefined && (
          <>
            : <q dir="auto">{comment.quote.text}</q>
          </>
        )}
      </p>
      {comment.quote && comment.replace !== undefined && (
        <p className={styles.suggestion} dir="auto">
          <del>{comment.quote.text}</del> <ins>{comment.replace}</ins>
        </p>
      )}
      <Said comment={comment} subject={subject} actions={actions} />
      {replies.map((reply) => (
        <div key={reply.id} className={styles.reply}>
          <header>
            <b>{reply.by.name}</b>
            <Time value={reply.at} />
          </header>
          <Said comment={reply} subject={subject} actions={actions} />
        </div>
      ))}
      {closed && (
        <p className={styles.closed}>
          <CheckCheck aria-hidden /> {t.resolvedBy(comment.resolvedBy?.name ?? '')}
        </p>
      )}
      {error && <Problem error={error} />}
      {asks === 'reply' && (
        <>
          <NamingArea subject={subject} label={t.reply} value={text} people={people} onChange={(text, people) => (ask('reply'), setReply({ text, people }))} onSend={sendReply} onCancel={end} autoFocus={started === 'reply'} />
          <div className={styles.buttons}>
            <Button kind="primary" shortcut="Ctrl ↵" isPending={isPending} onPress={sendReply}>
              {t.reply}
            </Button>
            <Button kind="quiet" shortcut="Esc" onPress={end}>
              {t.cancel}
            </Button>
          </div>
        </>
      )}
      {asks === 'reason' && (
        <>
          <TextArea label={t.reason} hint={t.reasonHint} value={reason ?? ''} onChange={(reason) => (ask('reason'), setReason(reason))} maxLength={4000} rows={2} />
          <div className={styles.buttons}>
            <Button kind="primary" isPending={isPending} onPress={() => void attempt(() => close(reason))}>
              {t.resolve}
            </Button>
            <Button kind="quiet" onPress={end}>
              {t.cancel}
            </Button>
          </div>
        </>
      )}
      {asks === undefined && (
        <div className={styles.buttons}>
          {apply && comment.replace !== undefined && comment.state === 'open' && (
            <Button onPress={() => toast(apply(comment) ? t.applied : t.gone)}>{t.apply}</Button>
          )}
          {comment.canResolve && (
            <Button icon={<Check aria-hidden />} isPending={isPending} onPress={resolve} data-resolve>
              {t.resolve}
            </Button>
          )}
          {writes && comment.state === 'open' && (
            <Button kind="quiet" onPress={() => ask('reply')}>
              {t.reply}
            </Button>
          )}
        </div>
      )}
    </article>
  );
}

/** The text of a comment, which its author can change for a while, and delete. */
function Said({ comment, subject, actions }: { comment: Comment; subject: Subject; actions: ReturnType<typeof actionsFor> }) {
  const t = useTexts('comments');
  const me = useSession().id;
  const [started, start] = useState(false);
  const [edited, setEdited] = useKept<Words>(`${me} edit ${comment.id}`);
  const written = withNames(comment.text, comment.mentions);
  const end = () => {
    start(false);
    setEdited(undefined);
  };
  const [error, setError] = useState<ApiError>();
  const attempt = async (run: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await run();
      end();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  if (comment.state === 'deleted') return <p className={styles.deleted}>{t.deleted}</p>;
  if (edited && (started || edited.text !== written)) {
    const { text, people } = edited;
    const save = () => text.trim() && void attempt(() => actions.edit(comment.id, withIds(text.trim(), people)));
    return (
      <>
        {error && <Problem error={error} />}
        <NamingArea subject={subject} label={t.edit} value={text} people={people} onChange={(text, people) => (start(true), setEdited({ text, people }))} onSend={save} onCancel={end} autoFocus={started} />
        <div className={styles.buttons}>
          <Button kind="primary" shortcut="Ctrl ↵" onPress={save}>
            {t.save}
          </Button>
          <Button kind="quiet" shortcut="Esc" onPress={end}>
            {t.cancel}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <p className={styles.text} dir="auto">
        {written}
        {comment.editedAt && <small> ({t.edited})</small>}
      </p>
      {error && <Problem error={error} />}
      {comment.by.id === me && comment.resolvedAt === undefined && comment.canEdit && (
        <div className={styles.own}>
          <Button kind="quiet" onPress={() => (start(true), setEdited({ text: written, people: comment.mentions }))}>
            {t.edit}
          </Button>
          <Button kind="quiet" onPress={() => void attempt(() => actions.remove(comment.id))}>
            {t.remove}
          </Button>
        </div>
      )}
    </>
  );
}
