const placeholder = /\{([^{}]*)\}/g;

/** The values for the placeholders of a collection's previewUrl. */
export type Previewed = { id: number; group: number | undefined; locale: string; fields: Record<string, unknown> };

/** The address of the preview of an entry, or the names of the values that it lacks for it. */
export function previewAddress(template: string, { fields, ...system }: Previewed): { url: string } | { missing: string[] } {
  const missing = new Set<string>();
  const url = template.replaceAll(placeholder, (_, name: string) => {
    const value = Object.hasOwn(system, name) ? system[name as keyof typeof system] : fields[name];
    const text = typeof value === 'number' ? String(value) : value;
    // The path segments "." and ".." change the path, even if they are percent-encoded.
    if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
    missing.add(name);
    return '';
  });
  return missing.size > 0 ? { missing: [...missing] } : { url };
}
