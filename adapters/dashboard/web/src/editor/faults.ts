import type { Language } from '../i18n/language';

// The API words its faults in English. The usual ones are put into the user's language here; any
// other is shown as it is.

const german: [RegExp, string][] = [
  [/^is required$/, 'fehlt noch'],
  [/^must be at most (.+)$/, 'darf höchstens $1 sein'],
  [/^must be at least (.+)$/, 'muss mindestens $1 sein'],
  [/^must have at most (\S+) characters?$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at least (\S+) characters?$/, 'muss mindestens $1 Zeichen haben'],
  [/^must have at most (\S+) values?$/, 'darf höchstens $1 Werte haben'],
  [/^must have at least (\S+) values?$/, 'muss mindestens $1 Werte haben'],
  [/^does not match the pattern (.+)$/, 'entspricht nicht dem Muster $1'],
  [/^is taken by another entry$/, 'hat schon ein anderer Eintrag'],
  [/^must be one of: (.+)$/, 'muss eines davon sein: $1'],
  [/^must be a number$/, 'muss eine Zahl sein'],
  [/^must be words of a-z and 0-9 joined by single hyphens$/, 'darf nur Wörter aus a–z und 0–9 haben, mit Bindestrichen dazwischen'],
  [/^must be a(?:n absolute)? URL.*$/, 'muss eine Adresse wie https://beispiel.de sein'],
  [/^must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [/^must be a colou?r.*$/, 'muss eine Farbe wie #1d3557 sein'],
];

/** A message of the API in the user's language. */
export function faultText(message: string, language: Language) {
  if (language === 'en') return message;
  return message
    .split('; ')
    .map((part) => {
      const [, index = '', text = ''] = /^(\d+: )?(.*)$/s.exec(part) ?? [];
      const found = german.find(([pattern]) => pattern.test(text));
      return index + (found ? text.replace(...found) : text);
    })
    .join('; ');
}
