import { useState } from 'react';
import { Trash2, Undo2 } from 'lucide-react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/overlays';
import { useEditing, useMeta } from '../context';
import { About } from './about';
import type { Actions } from './actions';
import { FaultList } from './faultlist';
import { Languages } from './languages';
import { EntryUses } from './entryuses';
import { Outcome } from './outcome';
import styles from './panel.module.css';

/** The column beside the fields. */
export function Panel({ actions, translationOf, beside }: { actions: Actions; translationOf?: number; beside?: string }) {
  const { store, project } = useEditing();
  const { entry, savedAt } = useMeta(store);
  return (
    <>
      <Outcome actions={actions} />
      <FaultList refusals={actions.refusals} />
      <Languages entry={entry} translationOf={translationOf} beside={beside} />
      {entry && <About projectId={project.id} entry={entry} saved={savedAt} />}
      {entry && <Ways actions={actions} />}
    </>
  );
}

/** Rare actions: unpublish, and move to the trash. */
function Ways({ actions }: { actions: Actions }) {
  const t = useTexts('editor').panel;
  const { store } = useEditing();
  const { entry } = useMeta(store);
  const [asked, ask] = useState<'unpublish' | 'trash'>();
  const close = () => ask(undefined);
  return (
    <section className={styles.ways}>
      {entry?.state === 'published' && (
        <Button kind="quiet" icon={<Undo2 aria-hidden />} onPress={() => ask('unpublish')}>
          {t.unpublish}
        </Button>
      )}
      <Button kind="quiet" icon={<Trash2 aria-hidden />} onPress={() => ask('trash')}>
        {t.trash}
      </Button>
      <Confirm
        title={t.unpublishTitle}
        isOpen={asked === 'unpublish'}
        onClose={close}
        action={t.unpublish}
        danger
        onConfirm={() => {
          close();
          void actions.unpublish();
        }}
      >
        <p>{t.unpublishText}</p>
        {entry && asked === 'unpublish' && <EntryUses entry={entry} />}
      </Confirm>
      <Confirm
        title={t.trashTitle}
        isOpen={asked === 'trash'}
        onClose={close}
        action={t.trash}
        danger
        onConfirm={() => {
          close();
          void actions.trash();
        }}
      >
        <p>{entry?.state === 'published' ? t.trashPublic : t.trashText}</p>
        {entry && asked === 'trash' && <EntryUses entry={entry} />}
      </Confirm>
    </section>
  );
}
