import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../i18n/language';
import { stepOf, useStepName } from '../review/steps';
import { actorName } from '../ui/actor';
import { Note, Time } from '../ui/basics';
import { useEditing, useMeta } from './context';
import styles from './editor.module.css';
import { approvalQuery } from './queries';

/** Why a reviewer sent the entry back or rejected it, until the next submission. */
export function SentBack() {
  const t = useTexts('editor').sentback;
  const stepName = useStepName();
  const { store, project, collection } = useEditing();
  const { entry } = useMeta(store);
  const isBack = entry?.status === 'sent_back' || entry?.status === 'rejected';
  const request = useQuery({ ...approvalQuery({ projectId: project.id, collectionId: collection.id }, entry?.id ?? 0), enabled: isBack }).data;
  const action = isBack ? request?.actions.findLast((a) => a.type === 'request_revision' || a.type === 'reject') : undefined;
  if (!action) return null;
  const step = stepOf(request!, action);
  const says = action.type === 'reject' ? t.rejected : t.sentBack;
  return (
    <Note tone="bad" role="status">
      <p>
        {says(actorName(action.actor), step ? stepName(step) : '')} <Time value={action.createdAt} />
      </p>
      {action.comment ? <blockquote className={styles.said}>{action.comment}</blockquote> : <p>{t.noComment}</p>}
    </Note>
  );
}
