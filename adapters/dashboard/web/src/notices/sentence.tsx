import { Fragment } from 'react';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { useHeldRole } from '../ui/heldrole';
import type { Notice } from './queries';
import { sentenceOf } from './said';

/** What a notice tells, in a sentence. */
export function Sentence({ notice }: { notice: Notice }) {
  const t = useTexts('notices').sentence;
  const role = useHeldRole()(notice);
  const values: Record<string, string> = {
    '{who}': notice.actor ? actorName(notice.actor) : t.someone,
    '{what}': notice.title || t.untitled,
    '{role}': role ?? '',
    '{place}': notice.place ?? '',
  };
  return sentenceOf(notice, t)
    .split(/(\{\w+\})/)
    .map((part, i) => <Fragment key={i}>{part === '{what}' || part === '{role}' || part === '{place}' ? <b>{values[part]}</b> : (values[part] ?? part)}</Fragment>);
}
