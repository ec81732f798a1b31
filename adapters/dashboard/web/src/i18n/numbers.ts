import type { Language } from './language';

const words: Record<Language, string[]> = {
  en: ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  de: ['keine', 'eine', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwölf'],
};

/** The number in the form for running text: a word up to twelve, digits above. */
export function spelled(language: Language, value: number): string {
  return words[language][value] ?? new Intl.NumberFormat(language).format(value);
}

/** The text with its first letter in upper case. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
