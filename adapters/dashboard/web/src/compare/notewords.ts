import { sentence, useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import type { FormatNote } from './compared';

/** Elements that look the same have the same name. */
const alias: Record<string, string> = { b: 'strong', i: 'em', strike: 's', del: 's', ins: 'u', tt: 'code', samp: 'code', kbd: 'code', '': 'p', div: 'p' };

/** Returns a function that says in words what changed in the formatting. */
export function useNoteWords() {
  const t = useTexts('common').prose;
  const format = useFormat();
  const nameOf = (tag: string) => t.names[(alias[tag] ?? tag) as keyof typeof t.names] ?? tag;
  const address = (attrs: Record<string, string>) => attrs.href ?? (attrs['data-entry'] ? t.entry(attrs['data-entry']) : t.file(attrs['data-media'] ?? ''));
  const one = (note: FormatNote): string | undefined => {
    switch (note.kind) {
      case 'added':
        return t.added(nameOf(note.tag));
      case 'removed':
        return t.removed(nameOf(note.tag));
      case 'block':
        return t.became(nameOf(note.to), nameOf(note.from));
      case 'link':
        return note.from && note.to ? t.linked(address(note.from), address(note.to)) : note.to ? t.linkAdded(address(note.to)) : t.linkRemoved(address(note.from!));
      case 'attribute':
        return note.name === 'alt' ? t.described(note.from ?? '', note.to ?? '') : undefined;
    }
  };
  return (notes: readonly FormatNote[]) => {
    const said = [...new Set(notes.map(one).filter((text) => text !== undefined))];
    // Elements that look the same, or attributes that readers do not see.
    return said.length === 0 || notes.some((n) => n.kind === 'added' && notes.some((m) => m.kind === 'removed' && nameOf(m.tag) === nameOf(n.tag))) ? t.formatted : sentence(format.list(said));
  };
}
