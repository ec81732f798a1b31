import { createContext, useContext, type ReactNode } from 'react';

export type Language = 'en' | 'de';

const LanguageContext = createContext<Language>('en');

export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export const useLanguage = () => useContext(LanguageContext);

/** The language of the browser, if the dashboard speaks it. */
export function browserLanguage(): Language {
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag): tag is Language => tag === 'en' || tag === 'de') ?? 'en';
}

/**
 * Declares the texts of one part of the dashboard in each language. A text is a string or a
 * function of its values. The compiler reports a text that a language lacks.
 */
export function texts<T>(byLanguage: { en: T; de: NoInfer<T> }) {
  return byLanguage;
}

/** The texts of the user's language. */
export function useTexts<T>(byLanguage: { en: T; de: T }): T {
  return byLanguage[useLanguage()];
}

/** Returns one for exactly one, and other otherwise; both languages have these two forms. */
export const plural = (count: number, one: string, other: string) => (count === 1 ? one : other);
