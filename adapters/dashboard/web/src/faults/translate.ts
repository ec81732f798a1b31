import { sentence } from '../i18n/format';
import type { Texts } from '../texts/languages';

/**
 * Translates a text of the API. "2: must be at most 5; is required" has two faults, the first of item
 * 2. A fault without a translation stays as it is. A text that stands alone becomes a sentence.
 */
export function translate(text: string, texts: Pick<Texts['faults'], 'patterns' | 'published' | 'required'>, alone = false): string {
  const [, draft] = /^(.*) in the published version$/s.exec(text) ?? [];
  if (draft !== undefined) return texts.published(translate(draft, texts, alone));
  return text
    .split('; ')
    .map((part) => {
      const [, place = '', fault = ''] = /^([\w.[\]]+: )?(.*)$/s.exec(part) ?? [];
      const found = texts.patterns.find(([pattern]) => pattern.test(fault));
      if (alone && /^(is|are) required$/.test(fault)) return place + texts.required;
      const said = found ? fault.replace(...found) : fault;
      return place + (alone ? sentence(said) : said);
    })
    .join('; ');
}
