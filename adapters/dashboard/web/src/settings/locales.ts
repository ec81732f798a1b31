type Languages = { locales: readonly string[]; defaultLocale: string; fallbacks: Readonly<Record<string, readonly string[] | null>> };

/** The locales in which readers of a locale get an entry: the first of them that the entry has. */
export function fallbackChain({ locales, defaultLocale, fallbacks }: Languages, locale: string): string[] {
  const named = fallbacks[locale];
  const chain = [locale, ...(named ?? parents(locale)), defaultLocale];
  return [...new Set(chain)].filter((tag, i) => i === 0 || locales.includes(tag));
}

/** The locale without its last subtags, one by one: de-AT-1996 gives de-AT and de. */
function parents(locale: string): string[] {
  const at = locale.lastIndexOf('-');
  if (at < 0) return [];
  const parent = locale.slice(0, at);
  return [parent, ...parents(parent)];
}

/** The tag as standards spell it, such as pt-BR for pt-br; undefined if it is no tag of a language. */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}
