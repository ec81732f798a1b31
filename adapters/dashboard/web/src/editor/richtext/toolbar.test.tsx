// @vitest-environment jsdom
import { EditorState } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { act, Profiler } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { loadTexts } from '../../texts/load';
import { EntryStore, type Entry } from '../store';
import { schema } from './schema';
import { Toolbar } from './toolbar';

test('typing elsewhere and saving render no toolbar, after undo has become possible', async () => {
  await Promise.all([loadTexts('common'), loadTexts('editor')]);
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const backup = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  const entry = { id: 1, version: 1, fields: { title: '' }, faults: [] } as unknown as Entry;
  const store = new EntryStore(entry, { transport: { save: async (_, fields) => ({ ...entry, version: 2, fields }) as Entry }, backup });
  const view = new EditorView(null, { state: EditorState.create({ doc: schema.node('doc', null, [schema.node('paragraph')]) }) });
  const element = document.createElement('div');
  const root = createRoot(element);
  let renders = 0;
  await act(async () =>
    root.render(
      <Profiler id="toolbar" onRender={() => void renders++}>
        <Toolbar view={view} store={store} label="Text" onLink={() => undefined} onPicture={() => undefined} />
      </Profiler>,
    ),
  );
  const undo = () => element.querySelector<HTMLButtonElement>('button[aria-label="Undo"]')!;
  expect(undo().disabled).toBe(true);
  await act(async () => store.set('title', 'A'));
  expect(undo().disabled).toBe(false);

  renders = 0;
  await act(async () => store.set('title', 'Ab'));
  await act(async () => void (await store.flush()));
  expect(store.meta()).toMatchObject({ state: { kind: 'saved' }, entry: { version: 2 } });
  expect(renders).toBe(0);

  await act(async () => void store.undo());
  expect(renders).toBe(1);
  expect(undo().disabled).toBe(true);
  await act(async () => root.unmount());
  view.destroy();
  store.drop();
});
