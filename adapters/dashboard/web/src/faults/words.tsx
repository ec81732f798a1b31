import { useLanguage } from '../i18n/language';
import { inGerman } from './german';
import { problems } from './problems';

/** The sentence for a problem of this code, or the text in the user's language as far as it is known. */
export function Words({ code, text }: { code?: string; text: string }) {
  const language = useLanguage();
  const said = code === undefined ? undefined : problems[language][code];
  if (said !== undefined) return typeof said === 'string' ? said : said(text);
  return language === 'de' ? inGerman(text) : text;
}
