/** The control of a field, not the buttons above a text; undefined until it is loaded. */
export function controlIn(field: Element | null | undefined): HTMLElement | null | undefined {
  return field?.querySelector<HTMLElement>('[contenteditable=true]') ?? field?.querySelector<HTMLElement>('input, textarea, select') ?? (field?.querySelector('[aria-busy]') ? undefined : field?.querySelector<HTMLElement>('button'));
}
