import { useTexts } from '../i18n/language';
import type { Texts } from '../texts/languages';

/** A role that a user has got or lost: the type of the event, and what it says of the role. */
type Held = { event: string; role?: string; place?: string };

/** Returns the name of a role with its place; undefined if the event does not say them. */
export function heldRole({ event, role, place = '' }: Held, words: Texts['common']['heldRoles']): string | undefined {
  if (!role) return undefined;
  if (event.startsWith('member.') && role in words.roles) return words.roles[role as keyof typeof words.roles](place);
  return words.custom(role, place);
}

export function useHeldRole() {
  const words = useTexts('common').heldRoles;
  return (held: Held) => heldRole(held, words);
}
