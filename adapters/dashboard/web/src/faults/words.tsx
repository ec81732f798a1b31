import { useTexts } from '../i18n/language';
import { translate } from './translate';

type Problems = Partial<Record<string, string | ((name: string) => string)>>;

/** The sentence for the problem code, or the text, translated if a translation exists. */
export function Words({ code, text, alone }: { code?: string; text: string; alone?: boolean }) {
  const t = useTexts('faults');
  const problems: Problems = t.problems;
  const problem = code === undefined ? undefined : problems[code];
  if (problem !== undefined) return typeof problem === 'string' ? problem : problem(text.split(' ')[0]!);
  return translate(text, t, alone);
}
