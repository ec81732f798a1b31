import { entryPage } from '../content/pageurl';
import { SeePage } from '../content/seepage';
import { useEditing, useMeta } from './context';
import type { Entry } from './store';

/** A link to the preview of the draft. It saves the draft first. */
export function SeeDraft() {
  const { store, project, collection } = useEditing();
  const { entry } = useMeta(store);
  const page = (one: Entry | undefined) => one && entryPage(project.previewUrl, collection, one);
  const save = async () => ((await store.flush()) ? page(store.meta().entry) : undefined);
  return <SeePage quiet url={page(entry)} save={() => (store.unsaved && store.meta().restored === undefined ? save() : undefined)} />;
}
