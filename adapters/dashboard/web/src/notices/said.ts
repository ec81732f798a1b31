import type { Texts } from '../texts/languages';
import type { Notice } from './queries';

type Words = Texts['notices']['sentence'];
type Said = Pick<Notice, 'kind' | 'event' | 'reminder' | 'role'>;

/** The sentence for a notice, with {who}, {what} and {role} in it. */
export function sentenceOf({ kind, event, reminder, role }: Said, words: Words): string {
  if (reminder) return words.reminder;
  if (kind === 'account' && role && event in words.roles) return words.roles[event as keyof Words['roles']];
  if (kind === 'account') return words.account[event as keyof Words['account']] ?? words.account['user.updated'];
  if (kind === 'your_turn' && event === 'request.approved') return words.next;
  if (event === 'delegation.ended') return words.delegationEnded;
  return words.kinds[kind];
}

/** The path of the page of a notice in the router, which adds the base. */
export const pathOf = (link: string) => link.replace(/^\/dashboard(?=\/)/, '');
