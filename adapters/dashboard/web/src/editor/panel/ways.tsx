import { PackagePlus, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { withTexts } from '../../texts/load';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/overlays';
import { TextArea } from '../../ui/textfields';
import { useEditing, useMeta } from '../context';
import type { Actions, Why } from './actions';
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
  // The server decides it; this only offers what it would accept.
  const admin = may(project, 'collection.manage');
  const shown = entry?.state === 'published';
  const by = (shown && actions.workflow?.unpublishing) || 'free';
  const barred = by !== 'free' && !admin;
  const emergency = by === 'reviewed';
  const whyNow = (): Why => ({ ...(reason.trim() && { [emergency ? 'emergency' : 'reason']: reason.trim() }) });
  const close = () => {
    ask(undefined);
    setReason('');
  };
  const why = (
    <>
      {emergency && <p>{t.emergencyText}</p>}
      <TextArea label={emergency ? t.emergency : t.reason} hint={t.reasonHint} value={reason} onChange={setReason} maxLength={500} rows={2} />
    </>
  );
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
      {barred && <p>{by === 'reviewed' ? t.offlineReviewed : t.offlineAdmins}</p>}
      {shown && !barred && (
        <Button kind="quiet" icon={<Undo2 aria-hidden />} onPress={() => ask('unpublish')}>
          {t.unpublish}
        </Button>
      )}
      {!barred && (
        <Button kind="quiet" icon={<Trash2 aria-hidden />} onPress={() => ask('trash')}>
          {t.trash}
        </Button>
      )}
      <Confirm
        title={t.unpublishTitle}
        isOpen={asked === 'unpublish'}
        onClose={close}
        action={t.unpublish}
        danger
        onConfirm={() => {
          close();
          void actions.unpublish(whyNow());
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
          void actions.trash(whyNow());
        }}
      >
        <p>{shown ? t.trashPublic : t.trashText}</p>
        <Suspense>{entry && asked === 'trash' && <EntryUses entry={entry} />}</Suspense>
        {shown && why}
      </Confirm>
    </section>
  );
}
