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

/** The languages of ISO 639-1, and their variants that websites use often. */
export const knownTags: readonly string[] = (
  'aa ab af ak am an ar ar-EG ar-MA ar-SA as av ay az ba be bg bi bm bn bo br bs ca ce ch co cs cv cy da de de-AT de-CH de-DE dv dz ee el en en-AU en-CA en-GB en-IE en-IN en-NZ en-US en-ZA eo es es-419 es-AR es-ES es-MX et eu ' +
  'fa ff fi fil fj fo fr fr-BE fr-CA fr-CH fr-FR fy ga gd gl gn gsw gu gv ha haw he hi ho hr ht hu hy hz ia id ig ii ik is it it-CH iu ja jv ka kg ki kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv ' +
  'mg mh mi mk ml mn mr ms mt my na nb nd nds ne ng nl nl-BE nn nr nv ny oc oj om or os pa pi pl ps pt pt-BR pt-PT qu rm rn ro ro-MD ru rw sa sc sd se sg si sk sl sm sn so sq sr sr-Latn ss st su sv sv-FI sw ' +
  'ta te tg th ti tk tn to tr ts tt ty ug uk ur uz ve vi wa wo xh yi yo za zh zh-HK zh-Hans zh-Hant zu'
).split(' ');

/** The name of a language in itself with its tag: "Deutsch, de". */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag);
  return name && name !== tag ? `${name}, ${tag}` : tag;
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether the names or the tag of a language have all words of a text, which can also be the tag in another case. */
export function languageMatches({ id, label, detail = '' }: { id: string; label: string; detail?: string }, text: string): boolean {
  if (canonicalTag(text) === id) return true;
  const name = plain(`${label} ${detail}`);
  return plain(text).split(/\s+/).every((word) => name.includes(word));
}
