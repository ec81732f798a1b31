import { useEffect, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { TimeZoneContext } from '../i18n/format';
import { browserLanguage, LanguageProvider } from '../i18n/language';

/** Applies the user's language, time zone and theme to everything inside. */
export function Preferences({ children }: { children: ReactNode }) {
  const language = browserLanguage();
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <I18nProvider locale={language === 'de' ? 'de-DE' : 'en-US'}>
      <LanguageProvider language={language}>
        <TimeZoneContext value={timeZone}>{children}</TimeZoneContext>
      </LanguageProvider>
    </I18nProvider>
  );
}
