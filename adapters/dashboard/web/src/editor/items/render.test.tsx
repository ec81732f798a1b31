// @vitest-environment jsdom
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { loadTexts } from '../../texts/load';
import { EditingContext, useFields, useValue, type Editing, type Field } from '../context';
import { EntryStore, Later, type Entry } from '../store';
import { body, components, hero, prose } from './fixture';
import { ItemList } from './list';
import type { Nesting } from './nesting';
import { Outline } from './outline';

/** Renders 20 open cards, and counts the renders: of the list and its cards together, and of the control at each place. */
async function setup() {
  await Promise.all([loadTexts('common'), loadTexts('items')]);
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const items = Array.from({ length: 20 }, (_, i) => (i % 2 ? prose(`k${i}`, '<p>A</p>') : hero(`k${i}`, 'A')));
  const backup = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  const store = new EntryStore({ id: 1, version: 1, fields: { body: items }, faults: [] } as unknown as Entry, { transport: { save: () => new Promise(() => undefined) }, backup });
  const outline = new Outline(store, body, components);
  outline.open(items.map(({ _key }) => `body[${_key}]`));
  const stop = outline.start();
  let cards = 0;
  const controls = new Map<string, number>();
  function Control({ field }: { field: Field }) {
    const values = useFields();
    const place = values.place(field.name);
    controls.set(place, (controls.get(place) ?? 0) + 1);
    return <input aria-label={place} value={String(useValue(field.name) ?? '')} readOnly />;
  }
  const nesting: Nesting = {
    depth: 0,
    control: Control,
    // The list and each card read it once in each render, the fields of a card once.
    get outline() {
      cards++;
      return outline;
    },
  };
  const editing = { store, project: { id: 1 } } as unknown as Editing;
  const element = document.createElement('div');
  const root = createRoot(element);
  await act(async () =>
    root.render(
      <EditingContext value={editing}>
        <ItemList values={store} field={body} nesting={nesting} />
      </EditingContext>,
    ),
  );
  const first = { cards, controls: controls.size };
  const key = async (place: string, value: unknown) => {
    cards = 0;
    controls.clear();
    const [, at, name] = /\[(.+)\]\.(.+)/.exec(place)!;
    const component = components.get(at === 'k1' ? 'prose' : 'hero')!;
    await act(async () => outline.item(store, body, at, component).set(name!, value));
    return { cards, controls: Object.fromEntries(controls) };
  };
  const close = async () => {
    await act(async () => root.unmount());
    stop();
    store.drop();
  };
  return { first, key, close, shown: (place: string) => element.querySelector<HTMLInputElement>(`[aria-label="${place}"]`)!.value };
}

test('a key in one card renders its control and, if its summary changes, that card', async () => {
  const { first, key, close, shown } = await setup();
  expect(first).toEqual({ cards: 1 + 2 * 20, controls: 10 * 3 + 10 });
  expect(await key('body[k0].title', 'Ab')).toEqual({ cards: 1, controls: { 'body[k0].title': 1 } });
  expect(shown('body[k0].title')).toBe('Ab');
  expect(await key('body[k0].text', 'Not in the summary')).toEqual({ cards: 0, controls: { 'body[k0].text': 1 } });
  await close();
});

test('a key in the rich text of a card renders no other card', async () => {
  const { key, close } = await setup();
  await key('body[k1].text', new Later(() => '<p>Ab</p>')); // the first key hides the summary
  expect(await key('body[k1].text', new Later(() => '<p>Abc</p>'))).toEqual({ cards: 0, controls: { 'body[k1].text': 1 } });
  await close();
});
