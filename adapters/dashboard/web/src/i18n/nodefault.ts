/**
 * In place of React Aria's default locale, which it determines while its code is loaded: the first
 * use of Intl.DateTimeFormat takes 20 ms, and src/account/preferences.tsx always names a locale.
 */
export function useDefaultLocale() {
  return getDefaultLocale();
}

export function getDefaultLocale() {
  return { locale: 'en-US', direction: 'ltr' as const };
}
