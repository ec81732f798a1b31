import { Fragment } from 'react';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import type { Notice } from './queries';
import { sentenceOf } from './said';

/** What a notice tells, in a sentence. */
export function Sentence({ notice }: { notice: Notice }) {
  const t = useTexts('notices').sentence;
  const values: Record<string, string> = {
    '{who}': notice.actor ? actorName(notice.actor) : t.someone,
    '{what}': notice.title || t.untitled,
  };
  return sentenceOf(notice, t)
    .split(/(\{\w+\})/)
    .map((part, i) => <Fragment key={i}>{part === '{what}' ? <b>{values[part]}</b> : (values[part] ?? part)}</Fragment>);
}
