import { useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/language';
import { useEditedWords } from '../../media/edit';
import type { MediaItem } from '../../media/kind';
import { TextField } from '../../ui/textfields';
import { useEditing } from '../context';

/** The alternative text of a picture where it is used. It is that of the library, so it changes wherever the picture is used. */
export function AltText({ item }: { item: MediaItem }) {
  const t = useTexts('editor').media;
  const { project } = useEditing();
  const edited = useEditedWords(project.id, item);
  const flush = useRef(edited.flush);
  useEffect(() => void (flush.current = edited.flush));
  useEffect(() => () => void flush.current(), []); // the user leaves while the last words wait
  const fault = edited.error && (edited.error.faults.find((f) => f.location === 'alt')?.message ?? t.altUnsaved);
  return <TextField label={t.alt} hint={t.altHint} fault={fault} maxLength={500} value={edited.words.alt} onChange={(alt) => edited.edit({ alt })} onBlur={() => void edited.flush()} />;
}
