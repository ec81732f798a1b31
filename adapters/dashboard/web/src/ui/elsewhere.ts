/** The host of a picture that another site serves; null for a picture of this site. */
export function elsewhere(source: string): string | null {
  if (!/^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(source.trim()) || !URL.canParse(source, location.href)) return null;
  const { host } = new URL(source, location.href);
  return host === location.host ? null : host;
}
