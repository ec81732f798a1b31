import { $api, api, dataOf, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { approvalOf, commentsQuery, requestQuery, type Subject } from '../review/queries';
import type { CommentInput } from './pending';

export type Comment = Schemas['Comment'];
export type Person = Schemas['Person'];

export function peopleQuery(subject: Subject, search: string) {
  const { route, at } = approvalOf(subject);
  return $api.queryOptions('get', `${route}/people`, { params: { ...at.params, query: { search: search || undefined } } }, { staleTime: 60_000 });
}

/** Fetches the comments again, and what shows their number. */
async function changed(subject: Subject) {
  void queryClient.invalidateQueries({ predicate: ({ queryKey: [, route] }) => typeof route === 'string' && route.startsWith('/api/approvals/') });
  await Promise.all([queryClient.invalidateQueries({ queryKey: commentsQuery(subject).queryKey }), queryClient.invalidateQueries({ queryKey: requestQuery(subject).queryKey })]);
}

/** The changes of comments. Each resolves when the page shows the new state. */
export function actionsFor(subject: Subject) {
  const { route, at } = approvalOf(subject);
  const one = (commentId: number) => ({ params: { path: { ...at.params.path, commentId } } });
  return {
    add: async (body: CommentInput) => {
      const made = await dataOf<Comment>(api.POST(`${route}/comments`, { ...at, body }));
      await changed(subject);
      return made;
    },
    edit: async (id: number, text: string) => {
      await api.PATCH(`${route}/comments/{commentId}`, { ...one(id), body: { text } });
      await changed(subject);
    },
    remove: async (id: number) => {
      await api.DELETE(`${route}/comments/{commentId}`, one(id));
      await changed(subject);
    },
    resolve: async (id: number, reason?: string) => {
      await api.POST(`${route}/comments/{commentId}/resolve`, { ...one(id), body: { reason } });
      await changed(subject);
    },
  };
}
