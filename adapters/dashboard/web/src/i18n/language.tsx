import { createContext, startTransition, use, useContext, useEffect, useState, type ReactNode } from 'react';
import { languages, type Area, type Language, type Texts } from '../texts/languages';
import { changeLanguage, loadedTexts, loadTexts } from '../texts/load';

const LanguageContext = createContext<Language>('en');

export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export const useLanguage = () => useContext(LanguageContext);

/** The language to show: wanted, as soon as its texts are loaded. Before, the last one. */
export function useLoadedLanguage(wanted: Language): Language {
  const [language, setLanguage] = useState(wanted);
  useEffect(() => {
    let stale = false;
    changeLanguage(wanted).then(
      () => !stale && startTransition(() => setLanguage(wanted)),
      () => undefined, // offline: the last language stays
    );
    return () => {
      stale = true;
    };
  }, [wanted]);
  return language;
}

/** The preferred language of the browser that the dashboard supports; English if there is none. */
export function browserLanguage(): Language {
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag): tag is Language => tag in languages) ?? 'en';
}

/**
 * The texts of an area in the user's language. A page loads them with its code (withTexts); if they
 * are missing nevertheless, the component suspends.
 */
export function useTexts<A extends Area>(area: A): Texts[A] {
  const language = useLanguage();
  return loadedTexts(area, language) ?? use(loadTexts(area, language));
}
