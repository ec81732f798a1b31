/**
 * Replaces the module of React Aria that determines the default locale at load time: the first use
 * of Intl.DateTimeFormat takes 20 ms, and src/account/preferences.tsx always sets a locale.
 */
export function useDefaultLocale() {
  return getDefaultLocale();
}

export function getDefaultLocale() {
  return { locale: 'en-US', direction: 'ltr' as const };
}
