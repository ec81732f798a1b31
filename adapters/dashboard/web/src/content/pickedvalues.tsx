import { useQueries } from '@tanstack/react-query';
import { ImagePlus, X } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { mediaItemQuery } from '../media/data';
import { withTexts } from '../texts/load';
import { Button, IconButton } from '../ui/button';
import { useHold } from '../ui/popover';
import { inputClass } from '../ui/textfields';
import { titlesOf, titlesQuery } from './rows';
import styles from './table.module.css';
import ui from '../ui/ui.module.css';

type Collection = Schemas['Collection'];

// Loaded on demand: few filters need them.
const EntryPicker = lazy(() => withTexts(import('../editor/controls/entrypicker'), 'editor'));
const MediaPicker = lazy(() => withTexts(import('../media/picker'), 'media').then((m) => ({ default: m.MediaPicker })));

type PickedProps = { project: Schemas['Project']; label: string; values: readonly string[]; several: boolean; onChange: (values: string[]) => void };

/** The related entries of a filter, which are chosen by their title. */
export function PickedEntries({ project, targets, label, values, several, onChange }: PickedProps & { targets: readonly Collection[] }) {
  const id = useId();
  const ids = values.map(Number).filter(Boolean);
  const known = useQueries({ queries: targets.map((target) => titlesQuery(project, target, ids)), combine: titlesOf });
  return (
    <div className={ui.field}>
      <span className={ui.label} id={`${id}-label`}>
        {label}
      </span>
      <Picked names={ids.map((one) => ({ id: one, name: known.get(one) || `#${one}` }))} onChange={onChange} />
      {(several || ids.length === 0) && (
        <Suspense fallback={<input className={inputClass} aria-labelledby={`${id}-label`} readOnly />}>
          <EntryPicker target={{ projectId: project.id, collections: targets }} locale={project.defaultLocale} attributes={{ id }} taken={ids} onPick={(one) => onChange([...ids, one].map(String))} />
        </Suspense>
      )}
    </div>
  );
}

/** The files of a filter, which are chosen in the library. */
export function PickedMedia({ project, label, values, several, onChange }: PickedProps) {
  const t = useTexts('content').filtereditor;
  const id = useId();
  const [picking, setPicking] = useState(false);
  const hold = useHold();
  const pick = (open: boolean) => {
    hold(open);
    setPicking(open);
  };
  const ids = values.map(Number).filter(Boolean);
  const items = useQueries({ queries: ids.map((one) => mediaItemQuery(project.id, one)) });
  return (
    <div className={ui.field}>
      <span className={ui.label} id={`${id}-label`}>
        {label}
      </span>
      <Picked names={ids.map((one, i) => ({ id: one, name: items[i]?.data?.fileName ?? `#${one}` }))} onChange={onChange} />
      <div>
        <Button id={id} aria-labelledby={`${id}-label ${id}`} icon={<ImagePlus aria-hidden />} onPress={() => pick(true)}>
          {t.chooseFile}
        </Button>
      </div>
      {picking && (
        <Suspense>
          <MediaPicker
            projectId={project.id}
            multiple={several}
            isOpen
            onClose={() => pick(false)}
            onChoose={(chosen) => onChange((several ? [...new Set([...ids, ...chosen.map((item) => item.id)])] : chosen.map((item) => item.id)).map(String))}
          />
        </Suspense>
      )}
    </div>
  );
}

/** What is chosen, with a button to remove each. */
function Picked({ names, onChange }: { names: { id: number; name: string }[]; onChange: (values: string[]) => void }) {
  const t = useTexts('content').filtereditor;
  if (names.length === 0) return null;
  return (
    <ul className={styles.picked}>
      {names.map(({ id, name }) => (
        <li key={id}>
          <span>{name}</span>
          <IconButton label={t.remove(name)} icon={<X aria-hidden />} onPress={() => onChange(names.filter((one) => one.id !== id).map((one) => String(one.id)))} />
        </li>
      ))}
    </ul>
  );
}
