import { useEffect, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { TimeZoneContext } from '../i18n/format';
import { browserLanguage, LanguageProvider, useLoadedLanguage } from '../i18n/language';
import { languages } from '../texts/languages';
import { changeLanguage } from '../texts/load';
import { remember, remembered, useSettings, type Settings } from './settings';

function applyTheme(theme: Settings['theme']) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

// Before the first render.
applyTheme(remembered().theme);
export const firstTexts = changeLanguage(remembered().language ?? browserLanguage());

/** Applies the user's language, time zone and theme to everything inside. */
export function Preferences({ children }: { children: ReactNode }) {
  const { language: chosen, timeZone, theme } = useSettings();
  const language = useLoadedLanguage(chosen ?? browserLanguage());
  useEffect(() => {
    // Setting lang causes a layout of the whole page, even if the value does not change.
    if (document.documentElement.lang !== language) document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    applyTheme(theme);
    remember({ language: chosen, timeZone, theme });
  }, [chosen, timeZone, theme]);
  return (
    <I18nProvider locale={languages[language].controls}>
      <LanguageProvider language={language}>
        <TimeZoneContext value={timeZone}>{children}</TimeZoneContext>
      </LanguageProvider>
    </I18nProvider>
  );
}
