/** The words of a text, transliterated to a-z and 0-9: "Größe" becomes "groesse". */
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

/** Suggests the slug of a collection from its name, such as "press-releases". */
export const slugOf = (name: string) => words(name).join('-').slice(0, 63).replace(/-$/, '');

/** Suggests the name of a field from its label, such as "publishedOn". Leading digits are dropped. */
export function fieldNameOf(label: string): string {
  const [first = '', ...rest] = words(label);
  const name = first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  const start = name.replace(/^[0-9]+/, '').slice(0, 63);
  return start.charAt(0).toLowerCase() + start.slice(1);
}
