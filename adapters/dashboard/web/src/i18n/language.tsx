import { createContext, useContext, type ReactNode } from 'react';

export type Language = 'en' | 'de';

const LanguageContext = createContext<Language>('en');

export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export const useLanguage = () => useContext(LanguageContext);

/** The preferred language of the browser that the dashboard supports; English if there is none. */
export function browserLanguage(): Language {
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag): tag is Language => tag === 'en' || tag === 'de') ?? 'en';
}

/**
 * Declares the texts of one part of the dashboard in each language. A text is a string, or a
 * function that returns one. The compiler reports missing texts.
 */
export function texts<T>(byLanguage: { en: T; de: NoInfer<T> }) {
  return byLanguage;
}

/** The texts of the user's language. */
export function useTexts<T>(byLanguage: { en: T; de: T }): T {
  return byLanguage[useLanguage()];
}

/** Returns one if count is 1, else other. English and German have only these two plural forms. */
export const plural = (count: number, one: string, other: string) => (count === 1 ? one : other);
