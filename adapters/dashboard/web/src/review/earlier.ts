import type { Request } from './queries';

type Earlier = Pick<Request, 'id' | 'status' | 'actions'>;

const decisions = ['approve', 'reject', 'request_revision'];

/**
 * The earlier requests of an entry with which the present one can be compared. history is the latest first and
 * contains the present one. Only requests since the last publication count: what was published is compared as such.
 */
export function earlierOf<R extends Earlier>(history: readonly R[], present: number, userId: number) {
  const at = history.findIndex((r) => r.id === present);
  const published = history.findIndex((r, i) => i > at && r.status === 'published');
  const round = at < 0 ? [] : history.slice(at + 1, published < 0 ? undefined : published);
  const decidedBy = (r: R, mine: boolean) => r.actions.some((a) => decisions.includes(a.type) && (!mine || (a.actor.kind === 'user' && a.actor.id === userId)));
  const mine = round.find((r) => decidedBy(r, true));
  const reviewed = mine ?? round.find((r) => decidedBy(r, false));
  return {
    /** The latest one that the user decided, or else that anyone decided. */
    reviewed,
    isMine: mine !== undefined,
    /** The first submission, unless it is the one reviewed last. */
    first: round.at(-1) === reviewed ? undefined : round.at(-1),
    /** What was said about the earlier ones, the latest first. */
    comments: round.flatMap((request) => request.actions.filter((a) => a.comment).map((action) => ({ request, action })).reverse()),
  };
}
