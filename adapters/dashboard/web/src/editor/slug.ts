/** The slug that the API generates from a text, without the number that makes it unique. */
export function slugOf(text: string) {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/**
 * Whether a slug still follows its source: it is empty, or the API generated it from the source. A
 * slug that an editor chose does not follow.
 */
export function follows(slug: unknown, source: unknown) {
  if (!slug) return true;
  if (typeof slug !== 'string' || typeof source !== 'string') return false;
  const made = slugOf(source).slice(0, 90);
  return made !== '' && slug.startsWith(made) && /^[a-z0-9-]{0,10}$/.test(slug.slice(made.length)) && (made.length === 90 || /^(-\d+)?$/.test(slug.slice(made.length)));
}
