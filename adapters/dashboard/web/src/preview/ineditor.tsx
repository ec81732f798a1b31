import { MonitorSmartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useEditing, useMeta } from '../editor/context';
import { jumpTo } from '../editor/panel/faultlist';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { Segments } from '../ui/segments';
import { toast } from '../ui/toast';
import { SiteFrame, type Others } from './frame';
import styles from './preview.module.css';

type Toggle = { isOpen: boolean; onChange: (isOpen: boolean) => void };

/** Opens and closes the frame beside the form. */
export function PreviewButton({ isOpen, onChange }: Toggle) {
  const t = useTexts('preview').ineditor;
  return (
    <Button kind="quiet" aria-expanded={isOpen} icon={<MonitorSmartphone aria-hidden />} onPress={() => onChange(!isOpen)}>
      {t.preview}
    </Button>
  );
}

/** On a narrow window: the form or the frame. */
export function PreviewTabs({ isOpen, onChange }: Toggle) {
  const t = useTexts('preview').ineditor;
  return (
    <div className={styles.tabs}>
      <Segments
        label={t.tabs}
        value={isOpen ? 'site' : 'form'}
        onChange={(tab) => onChange(tab === 'site')}
        options={[
          { id: 'form', label: t.form },
          { id: 'site', label: t.preview },
        ]}
      />
    </div>
  );
}

/** The page of the website beside the form, with what is typed. isTab: in place of the form. */
export function EditorPreview({ isTab, onClose }: { isTab: boolean; onClose: () => void }) {
  const t = useTexts('preview').ineditor;
  const format = useFormat();
  const { store, project, collection, locale } = useEditing();
  const { entry, state, restored } = useMeta(store);
  const place = useFocusedPlace();
  // Lists of what is public have no entry that never was: sites that find pages by their slugs need those of drafts.
  const [others, setOthers] = useState<Others>(entry?.publishedAt ? 'published' : 'drafts');
  useEffect(() => store.hurry(), [store]);
  if (!entry) return null;
  const labels = store.held().map((name) => collection.fields.find((f) => f.name === name)?.label ?? name);
  const unsaved = restored !== undefined || (state.kind !== 'saved' && state.kind !== 'changed' && state.kind !== 'saving');
  const open = (path: string) => {
    const [, id, at] = /^(\d+):(.+)$/.exec(path) ?? [];
    if (Number(id) !== entry.id || at === undefined) return toast(t.elsewhere);
    if (isTab) flushSync(onClose); // shows the form
    jumpTo(/^[^.[]*/.exec(at)![0], `@${at}`);
  };
  const frame = (
    <SiteFrame
      projectId={project.id}
      collection={collection}
      entry={{ id: entry.id, group: entry.translationGroup, locale, fields: entry.fields }}
      of="draft"
      others={others}
      version={entry.version}
      focus={place && `${entry.id}:${place}`}
      onOpen={open}
      onClose={isTab ? undefined : onClose}
      problem={labels.length > 0 ? t.held(format.list(labels)) : unsaved ? t.unsaved : undefined}
      controls={
        <Segments
          label={t.others}
          value={others}
          onChange={setOthers}
          options={[
            { id: 'published', label: t.published },
            { id: 'drafts', label: t.drafts },
          ]}
        />
      }
    />
  );
  return isTab ? <div className={styles.tab}>{frame}</div> : frame;
}

/** The place of the field that has the focus; "" if none has. */
function useFocusedPlace() {
  const placeNow = () => document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset.field ?? '';
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const look = () => setPlace(placeNow());
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', look);
    return () => {
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', look);
    };
  }, []);
  return place;
}
