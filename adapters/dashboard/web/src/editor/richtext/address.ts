/** The URL of a text: a bare host gets https. null for schemes that the API removes. */
export function addressOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^(https?:\/\/|mailto:|tel:|sms:|geo:|webcal:|\/|#|\?)/i.test(trimmed)) return trimmed;
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(trimmed)) return `mailto:${trimmed}`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[\w.-]+:\d+(\/|$)/.test(trimmed)) return null;
  return `https://${trimmed}`;
}
