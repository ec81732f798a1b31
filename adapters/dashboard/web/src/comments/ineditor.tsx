import type { RefObject } from 'react';
import { useEditing, useMeta } from '../editor/context';
import { isStructured } from '../editor/items/structured';
import { may } from '../api/rights';
import { changeAt, replaceInHtml, replaceInText } from './apply';
import { Comments } from './comments';
import type { Comment } from './queries';

/** The comments on the latest request of the entry, each below its field. */
export function CommentsInEditor({ root }: { root: RefObject<HTMLElement | null> }) {
  const { store, project, collection } = useEditing();
  const { entry } = useMeta(store);
  if (!entry?.approval) return null;
  const fields = collection.fields.filter((f) => !f.hidden && f.type !== 'password');
  /** Puts the suggested words in the place of the passage, in the draft as it is now. */
  const apply = ({ field = '', quote, replace }: Comment) => {
    const name = /^[^.[]*/.exec(field)![0];
    const top = fields.find((f) => f.name === name);
    if (!top || !quote || replace === undefined) return false;
    // Of a value inside of items the type is not at hand: a text with a tag is rich text.
    const change = (text: string) => (top.type === 'richtext' || (isStructured(top) && /<[a-z]/i.test(text)) ? replaceInHtml(text, quote, replace) : replaceInText(text, quote, replace));
    const next = changeAt(store.value(name), field.slice(name.length), change);
    if (next === undefined) return false;
    store.set(name, next, '');
    return true;
  };
  return <Comments subject={{ projectId: project.id, collectionId: collection.id, entryId: entry.id }} fields={fields} root={root} apply={may(project, 'content.write') ? apply : undefined} />;
}
