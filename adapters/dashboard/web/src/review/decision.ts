import { useNavigate } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { useSession } from '../api/queries';
import { usePending } from '../comments/pending';
import { useTexts } from '../i18n/language';
import { queueQuery } from '../inbox/queries';
import { keep, useKept } from '../ui/kept';
import { toast } from '../ui/toast';
import { around } from './queue';
import { openReview, titleOf } from './open';
import { approvalOf, requestChanged, type Request, type Subject } from './queries';
import type { ReviewSearch } from './search';

export type Choice = 'approve' | 'request-revision' | 'reject';

/** The state of a reviewer's decision. It survives a change of layout and a lost race. */
export type Decision = ReturnType<typeof useDecision>;

/**
 * Holds the decision of a reviewer. It sends the decision with the step and content that the page
 * shows, so that it cannot apply to another step or other content, and then opens the next request.
 */
export function useDecision(subject: Subject, request: Request | undefined, search: Pick<ReviewSearch, 'project' | 'sort'>) {
  const t = useTexts('review').decision;
  const queue = useQueue(subject, search);
  const navigate = useNavigate();
  const userId = useSession().id;
  const commentKey = (requestId = 0) => `${userId} decision ${requestId}`;
  const [kept, setComment] = useKept<string>(commentKey(request?.id));
  const comment = kept ?? '';
  const [, setComments, pendingNow] = usePending(request?.id);
  const [intent, setIntent] = useState<Exclude<Choice, 'approve'>>();
  const [isOpen, setOpen] = useState(false);
  const [pending, setPending] = useState<Choice>();
  const [stepId, setStepId] = useState<number>();
  const [forId, setForId] = useState<number>();
  const [error, setError] = useState<ApiError>();
  /** The decision that waits until the user has proved again who they are. */
  const [unproven, setUnproven] = useState<Choice>();
  const [lost, setLost] = useState<{ before: Request; now: Request }>();

  // Reset the decision for the next entry.
  const shown = useRef(request?.id);
  useEffect(() => {
    if (request === undefined || request.id === shown.current) return;
    if (shown.current !== undefined) {
      // A decision that was lost to this request keeps its message.
      if (lost?.now.id !== request.id) setLost(undefined);
      setIntent(undefined);
      setStepId(undefined);
      setForId(undefined);
      setError(undefined);
      setOpen(false);
    }
    shown.current = request.id;
  }, [request, lost]);

  /** The open step that the decision is for: the chosen one, or the first that the user may decide. */
  const step = (stepId !== undefined && request?.canActOn.includes(stepId) && request.currentSteps.find((s) => s.stepId === stepId)) || (request?.currentStep ?? undefined);

  /** Sends the decision. It returns why a signature was refused, which the caller shows. */
  const decide = async (choice: Choice, signature?: Schemas['SignatureInput']): Promise<ApiError | undefined> => {
    if (!request || !step || pending) return undefined;
    setPending(choice);
    setError(undefined);
    setLost(undefined);
    try {
      const body = { comment: comment.trim() || undefined, stepOrder: step.stepOrder, stepId: step.stepId, contentHash: request.contentHash, for: forId, signature, comments: [...pendingNow()] };
      const { route, at } = approvalOf(subject);
      const after = await dataOf<Request>(api.POST(`${route}/${choice}` as `${typeof route}/approve`, { ...at, body }));
      setComments([]);
      setComment(undefined);
      setIntent(undefined);
      const next = queue.after;
      void requestChanged(after);
      toast(next ? t.next(t.done[choice], titleOf(next) ?? next.releaseNumber) : t.last(t.done[choice]));
      if (next) openReview(navigate, next, search);
      else void navigate({ to: '/inbox', search: { project: search.project, sort: search.sort } });
    } catch (caught) {
      const failed = asApiError(caught);
      const now = failed.status === 409 ? (failed.problem.request as Request | undefined) : undefined;
      if (failed.code === 'verify_first' || failed.code === 'signature_required') setUnproven(choice);
      else if (signature && !now) return failed;
      else if (now && failed.code !== 'must_open') {
        setLost({ before: request, now });
        setIntent(undefined);
        if (now.id !== request.id) {
          keep(commentKey(now.id), comment);
          setComment(undefined);
        }
        void requestChanged(now);
      } else setError(failed);
    } finally {
      setPending(undefined);
    }
    return undefined;
  };

  /** Moves the focus to a decision, without sending anything. */
  const ask = useCallback((what: Choice) => {
    setOpen(true);
    setIntent(what === 'reject' || what === 'request-revision' ? what : undefined);
    // Wait, because the box may not be rendered yet.
    setTimeout(() => document.querySelector<HTMLElement>(what === 'approve' ? '[data-approve]' : '[data-decision] textarea')?.focus(), 60);
  }, []);

  return { step, setStepId: (id: number) => (setStepId(id), setForId(undefined)), forId, setForId, comment, setComment, intent, setIntent, isOpen, setOpen, pending, error, lost, unproven, setUnproven, decide, ask };
}

/** The position of an entry or a release among the requests that wait for the user. */
export function useQueue(subject: Subject, search: Pick<ReviewSearch, 'project' | 'sort'>) {
  const { data } = useQuery(queueQuery(search));
  return { ...around(data?.data ?? [], subject), total: data?.meta.total ?? 0 };
}
