/** Words of a-z and 0-9: accents are dropped, as in "Größe" to "groesse". */
function words(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/ä/g, 'ae')
    .replace(/ö/g, 'oe')
    .replace(/ü/g, 'ue')
    .replace(/ß/g, 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
  return plain.match(/[a-z0-9]+/g) ?? [];
}

/** A slug for a collection of this name, such as "press-releases". */
export const slugOf = (name: string) => words(name).join('-').slice(0, 63).replace(/-$/, '');

/** A name for a field with this label, such as "publishedOn". Digits at its beginning are dropped. */
export function fieldNameOf(label: string): string {
  const [first = '', ...rest] = words(label);
  const name = first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  const start = name.replace(/^[0-9]+/, '').slice(0, 63);
  return start.charAt(0).toLowerCase() + start.slice(1);
}
