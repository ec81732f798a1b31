type Languages = { locales: readonly string[]; defaultLocale: string; fallbacks: Readonly<Record<string, readonly string[] | null>> };

/** The fallback chain of a locale: readers get an entry in the first of these locales that exists. */
export function fallbackChain({ locales, defaultLocale, fallbacks }: Languages, locale: string): string[] {
  const named = fallbacks[locale];
  const chain = [locale, ...(named ?? parents(locale)), defaultLocale];
  return [...new Set(chain)].filter((tag, i) => i === 0 || locales.includes(tag));
}

/** The prefixes of a locale, longest first: de-AT and de for de-AT-1996. */
function parents(locale: string): string[] {
  const at = locale.lastIndexOf('-');
  if (at < 0) return [];
  const parent = locale.slice(0, at);
  return [parent, ...parents(parent)];
}

/** The canonical form of a language tag, such as pt-BR for pt-br; undefined if it is invalid. */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}
