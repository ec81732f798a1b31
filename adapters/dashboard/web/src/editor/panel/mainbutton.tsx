import { useTexts } from '../../i18n/language';
import { Button, ButtonLink } from '../../ui/button';
import { useEditing, useMeta } from '../context';
import type { Actions } from './actions';
import { situationOf } from './situation';

/** The main button of the page. Its label states its action, because saving never publishes. */
export function MainButton({ actions }: { actions: Actions }) {
  const t = useTexts('editor').mainbutton;
  const { store, project, collection } = useEditing();
  const { entry } = useMeta(store);
  const { times, pending } = actions;
  const situation = situationOf(entry, actions.governed, store.unsaved);
  if (situation === 'unknown') return null;
  if (situation === 'inReview' || situation === 'approved') {
    return (
      <ButtonLink data-main-action kind="primary" to="/review/$projectId/$collectionId/$entryId" params={{ projectId: project.id, collectionId: collection.id, entryId: entry!.id }}>
        {t.review}
      </ButtonLink>
    );
  }
  const label = situation === 'send' ? t.send : situation === 'scheduled' ? t.now : times.publishAt ? t.schedule : entry?.state === 'published' ? t.changes : t.now;
  return (
    <Button data-main-action kind="primary" isPending={pending === 'publish'} isDisabled={situation === 'upToDate' && !times.unpublishAt} onPress={() => void actions.publish()}>
      {situation === 'upToDate' ? (times.unpublishAt ? (actions.governed ? t.send : t.schedule) : t.upToDate) : label}
    </Button>
  );
}
