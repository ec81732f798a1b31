import { PackagePlus, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { withTexts } from '../../texts/load';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/overlays';
import { TextArea } from '../../ui/textfields';
import { useEditing, useMeta } from '../context';
import type { Actions } from './actions';
import styles from './panel.module.css';

const AddToRelease = lazy(() => withTexts(import('../../releases/addto'), 'releases').then((m) => ({ default: m.AddToRelease })));
const EntryUses = lazy(() => import('./entryuses').then((m) => ({ default: m.EntryUses })));

/** Rare actions: add to a release, unpublish, and move to the trash. */
export function Ways({ actions }: { actions: Actions }) {
  const t = useTexts('editor').panel;
  const { store, project } = useEditing();
  const { entry } = useMeta(store);
  const [asked, ask] = useState<'release' | 'unpublish' | 'trash'>();
  const [reason, setReason] = useState('');
  const close = () => {
    ask(undefined);
    setReason('');
  };
  const why = <TextArea label={t.reason} hint={t.reasonHint} value={reason} onChange={setReason} maxLength={500} rows={2} />;
  return (
    <section className={styles.ways}>
      {entry && may(project, 'release.write') && (
        <Button kind="quiet" icon={<PackagePlus aria-hidden />} onPress={() => ask('release')}>
          {t.addToRelease}
        </Button>
      )}
      {entry && asked === 'release' && (
        <Suspense fallback={null}>
          <AddToRelease projectId={project.id} entryIds={[entry.id]} onClose={close} />
        </Suspense>
      )}
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
          void actions.unpublish(reason.trim());
        }}
      >
        <p>{t.unpublishText}</p>
        <Suspense>{entry && asked === 'unpublish' && <EntryUses entry={entry} />}</Suspense>
        {why}
      </Confirm>
      <Confirm
        title={t.trashTitle}
        isOpen={asked === 'trash'}
        onClose={close}
        action={t.trash}
        danger
        onConfirm={() => {
          close();
          void actions.trash(reason.trim());
        }}
      >
        <p>{entry?.state === 'published' ? t.trashPublic : t.trashText}</p>
        <Suspense>{entry && asked === 'trash' && <EntryUses entry={entry} />}</Suspense>
        {entry?.state === 'published' && why}
      </Confirm>
    </section>
  );
}
