import type { Node } from '@tiptap/pm/model';
import { Plugin } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { kindOf, type MediaItem } from '../../media/kind';
import { addFiles, subscribe, uploadOf } from '../../media/uploads';
import { schema } from './schema';

/** The node that shows an item of the library: a picture, or a link to another file. alt is used where the item has no caption. */
export function nodeOf(item: MediaItem, alt = ''): Node {
  const keep = { 'data-media': String(item.id) };
  if (kindOf(item.mimeType) === 'image') return schema.nodes.image!.create({ src: item.fullWebpUrl ?? item.fullUrl, alt: item.caption || alt, keep });
  return schema.text(item.fileName, [schema.marks.link!.create({ href: item.fullUrl, keep })]);
}

/** The uploads of one text. A node of the type upload holds the place of each until it arrives. */
export type Arrivals = {
  /** Uploads a file and returns the id of the upload. */
  add: (file: File) => number;
  plugin: Plugin;
};

export function arrivals(project: { id: number; uploadLimit: number }): Arrivals {
  const items = new Map<number, MediaItem>();
  let view: EditorView | undefined;

  /** Replaces the nodes of uploads that have arrived, and removes those of uploads that were removed. */
  const settle = () => {
    if (!view || view.isDestroyed) return;
    const { tr, doc } = view.state;
    doc.descendants((node, position) => {
      if (node.type !== schema.nodes.upload) return;
      const id = node.attrs.id as number;
      const item = items.get(id);
      const [from, to] = [tr.mapping.map(position), tr.mapping.map(position + 1)];
      if (item) tr.replaceWith(from, to, nodeOf(item, node.attrs.alt as string));
      else if (!uploadOf(id)) tr.delete(from, to);
    });
    if (tr.docChanged) view.dispatch(tr.setMeta('addToHistory', false));
  };
  const arrived = (id: () => number) => (item: MediaItem) => {
    items.set(id(), item);
    settle();
  };
  return {
    add(file) {
      let id = 0;
      [id] = addFiles(project, [file], arrived(() => id)) as [number];
      return id;
    },
    plugin: new Plugin({
      view(made) {
        view = made;
        const unsubscribe = subscribe(settle);
        return {
          // Undo can bring back the place of an upload that has arrived.
          update: (_view, before) => void (before.doc.eq(made.state.doc) || queueMicrotask(settle)),
          destroy: unsubscribe,
        };
      },
    }),
  };
}
