import { useLanguage } from '../i18n/language';
import { inGerman } from './german';
import { problems } from './problems';

/** The sentence for the problem code, or the text, translated if a translation exists. */
export function Words({ code, text }: { code?: string; text: string }) {
  const language = useLanguage();
  const said = code === undefined ? undefined : problems[language][code];
  if (said !== undefined) return typeof said === 'string' ? said : said(text);
  return language === 'de' ? inGerman(text) : text;
}
