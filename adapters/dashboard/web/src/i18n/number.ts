/**
 * Parses a number with a decimal point or, in languages that use it, a decimal comma. Returns any
 * other text unchanged, such as "1,000" in English and "1.000" in German; the API rejects it.
 */
export function numberOf(text: string, decimalComma: boolean): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (decimalComma && /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/.test(trimmed)) return text; // "1.000" may mean a thousand
  const number = Number(decimalComma ? trimmed.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') : trimmed);
  return Number.isFinite(number) ? number : text;
}

/** The text of a number for an input, which numberOf parses. Any other text stays unchanged. */
export function numberText(value: number | string | null | undefined, decimalComma: boolean): string {
  return typeof value === 'number' && decimalComma ? String(value).replace('.', ',') : String(value ?? '');
}
