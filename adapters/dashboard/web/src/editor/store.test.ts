import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/error';
import type { Copy } from './backup';
import { EntryStore, Later, type Entry, type Options } from './store';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function entryOf(fields: Record<string, unknown>, version = 1): Entry {
  return {
    id: 7, collectionId: 2, locale: 'en', translationGroup: 7, state: 'draft', status: 'draft', hasUnpublishedChanges: false, version, publishedAt: null, scheduledPublishAt: null,
    scheduledPublishFault: null, scheduledUnpublishAt: null, createdAt: '', updatedAt: '', trashedAt: null, fields, approval: null, release: null, faults: [],
  };
}

/** A server with one entry, and a store that edits it. */
function setup(fields: Record<string, unknown>, more: Partial<Options> = {}) {
  let server = entryOf(fields);
  let copy: Copy | undefined;
  const failures: unknown[] = [];
  const save = vi.fn(async (entry: Entry | undefined, patch: Record<string, unknown>) => {
    const failure = failures.shift();
    if (failure) throw failure;
    if (entry && entry.version !== server.version) throw new ApiError(412, { current: server } as never);
    server = entryOf({ ...server.fields, ...patch }, server.version + 1);
    return server;
  });
  const backup = { read: async () => copy, write: async (c: Omit<Copy, 'key'>) => void (copy = { ...c, key: '' }), remove: async () => void (copy = undefined) };
  const store = new EntryStore(server, { transport: { save }, backup, ...more });
  return { store, save, failures, backup, copy: () => copy, setCopy: (c: Copy) => (copy = c), other: (patch: Record<string, unknown>) => (server = entryOf({ ...server.fields, ...patch }, server.version + 1)) };
}

const invalid = (...errors: { location: string; message: string }[]) => new ApiError(422, { errors });

test('saves changed fields one second after the last key', async () => {
  const { store, save } = setup({ title: 'A', body: 'B' });
  store.set('title', 'Aa');
  await vi.advanceTimersByTimeAsync(900);
  store.set('title', 'Aaa');
  await vi.advanceTimersByTimeAsync(900);
  expect(save).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(save).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ version: 1 }), { title: 'Aaa' });
  expect(store.meta().state.kind).toBe('saved');
  expect(store.unsaved).toBe(false);
});

test('saves at least every five seconds while typing', async () => {
  const { store, save } = setup({ title: '' });
  for (let i = 0; i < 12; i++) {
    store.set('title', `t${i}`);
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(save).toHaveBeenCalledTimes(1);
});

test('saves the arrays of JSON fields as they are, and rows without empty ones', async () => {
  const { store, save } = setup({ meta: null, tags: [] }, { json: ['meta'] });
  store.set('meta', [1, null, '', []]);
  store.set('tags', ['a', '', 'b']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenCalledExactlyOnceWith(expect.anything(), { meta: [1, null, '', []], tags: ['a', 'b'] });
});

test('a failed save is tried again when the entry has changed elsewhere', async () => {
  const { store, save, failures, other } = setup({ title: '', body: '' });
  failures.push(new ApiError(403, {}));
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.meta().state.kind).toBe('failed');
  store.refresh(other({ body: 'theirs' }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenCalledTimes(2);
  expect(store.meta().state.kind).toBe('saved');
});

test('notifies only subscribers of the field', () => {
  const { store } = setup({ title: 'A', body: 'B' });
  const title = vi.fn();
  const body = vi.fn();
  store.subscribe('title')(title);
  store.subscribe('body')(body);
  store.set('title', 'Aa');
  expect([title.mock.calls.length, body.mock.calls.length]).toEqual([1, 0]);
});

test('keeps changes made during a save', async () => {
  const { store, save } = setup({ title: '' });
  store.set('title', 'one');
  save.mockImplementationOnce(async () => {
    store.set('title', 'two');
    return entryOf({ title: 'one' }, 2);
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.value('title')).toBe('two');
  expect(store.unsaved).toBe(true);
});

test('does not resend a rejected value and saves the others', async () => {
  const { store, save, failures } = setup({ title: 'A', rating: 3 });
  failures.push(invalid({ location: 'fields.rating', message: 'must be at most 5' }));
  store.set('title', 'Aa');
  store.set('rating', 7);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save.mock.calls.map((c) => c[1])).toEqual([{ title: 'Aa', rating: 7 }, { title: 'Aa' }]);
  expect(store.fault('rating')).toBe('must be at most 5');
  expect(store.unsaved).toBe(true);
  store.set('rating', 4);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.fault('rating')).toBe('');
  expect(store.unsaved).toBe(false);
});

test('retries while the server cannot be reached, and keeps a local copy', async () => {
  const { store, save, failures, copy } = setup({ title: 'A' });
  failures.push(ApiError.offline(null), ApiError.offline(null));
  store.set('title', 'Aa');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(store.meta().state.kind).toBe('offline');
  expect(copy()).toMatchObject({ fields: { title: 'Aa' }, base: { title: 'A' } });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(save).toHaveBeenCalledTimes(3);
  expect(store.meta().state.kind).toBe('saved');
  expect(copy()).toBeUndefined();
});

test('continues saving after the sign-in', async () => {
  const { store, save, failures } = setup({ title: 'A' });
  failures.push(new ApiError(401, {}));
  store.set('title', 'Aa');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.meta().state.kind).toBe('signedOut');
  store.retry();
  await vi.advanceTimersByTimeAsync(0);
  expect(save).toHaveBeenCalledTimes(2);
  expect(store.meta().state.kind).toBe('saved');
});

test('merges fields that only one side changed', async () => {
  const { store, other } = setup({ title: 'A', body: 'B' });
  other({ body: 'theirs' });
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([store.value('title'), store.value('body')]).toEqual(['mine', 'theirs']);
  expect(store.meta().merged).toEqual(['body']);
  expect(store.unsaved).toBe(false);
});

test('reports a conflict when both changed a field, and saves the choice', async () => {
  const { store, save, other } = setup({ title: 'A' });
  other({ title: 'theirs' });
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(store.meta().conflicts).toEqual([{ name: 'title', base: 'A', mine: 'mine', theirs: 'theirs' }]);
  expect(store.value('title')).toBe('mine');
  store.resolve({ title: 'both' });
  await vi.advanceTimersByTimeAsync(0);
  expect(save).toHaveBeenLastCalledWith(expect.objectContaining({ version: 2 }), { title: 'both' });
  expect(store.meta().conflicts).toEqual([]);
});

test('resolves a conflict with their value without a save', async () => {
  const { store, save, other } = setup({ title: 'A' });
  other({ title: 'theirs' });
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(1_000);
  store.resolve({ title: 'theirs' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).toHaveBeenCalledTimes(1);
  expect([store.value('title'), store.unsaved, store.meta().state.kind]).toEqual(['theirs', false, 'saved']);
});

test('copies a change at once, long before it is saved', async () => {
  const { store, save, copy } = setup({ title: '' });
  store.set('title', 'one');
  await vi.advanceTimersByTimeAsync(50);
  expect(copy()?.fields).toEqual({ title: 'one' });
  store.set('title', 'two');
  await vi.advanceTimersByTimeAsync(50);
  expect(copy()?.fields).toEqual({ title: 'two' });
  expect(save).not.toHaveBeenCalled();
});

test('copies a text that takes long to read less often', async () => {
  const { store, copy } = setup({ body: '' });
  let reads = 0;
  const long = (n: number) => new Later(() => (reads++, vi.advanceTimersByTime(30), `text ${n}`));
  store.set('body', long(0));
  await vi.advanceTimersByTimeAsync(60);
  expect(copy()?.fields).toEqual({ body: 'text 0' });
  for (let n = 1; n <= 5; n++) {
    store.set('body', long(n));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(reads).toBe(1);
  await vi.advanceTimersByTimeAsync(500);
  expect(copy()?.fields).toEqual({ body: 'text 5' });
});

test('restores the local copy and waits for confirmation', async () => {
  const { store, save, setCopy, copy } = setup({ title: 'A', body: 'B' });
  setCopy({ key: '', at: 5, fields: { title: 'kept', body: 'B' }, base: { title: 'A', body: 'B' }, texts: {} });
  await store.restore();
  expect([store.value('title'), store.meta().restored]).toEqual(['kept', 5]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).not.toHaveBeenCalled();
  store.discardRestored();
  expect([store.value('title'), store.unsaved]).toEqual(['A', false]);
  expect(copy()).toBeUndefined();
});

test('discards the local copy of a new entry, but not its initial values', async () => {
  const save = vi.fn(async (_: Entry | undefined, patch: Record<string, unknown>) => entryOf(patch));
  const copy = { key: '', at: 5, fields: { kind: 'opinion', title: 'kept' }, base: {}, texts: {} };
  const store = new EntryStore(undefined, { transport: { save }, backup: { read: async () => copy, write: async () => undefined, remove: async () => undefined }, initial: { kind: 'news' } });
  await store.restore();
  expect([store.value('kind'), store.unsaved]).toEqual(['opinion', true]);
  store.discardRestored();
  expect([store.value('kind'), store.value('title'), store.unsaved]).toEqual(['news', undefined, false]);
  store.set('title', 'A');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenCalledExactlyOnceWith(undefined, { kind: 'news', title: 'A' });
});

test('copies text that is not a valid value of a new entry', async () => {
  const write = vi.fn(async () => undefined);
  const store = new EntryStore(undefined, { transport: { save: vi.fn() }, backup: { read: async () => undefined, write, remove: async () => undefined }, initial: { kind: 'news' } });
  store.setText('meta', '{', 'is not JSON');
  await store.copyNow();
  expect(write).toHaveBeenCalledWith(expect.objectContaining({ texts: { meta: '{' } }));
});

test('saves restored changes after confirmation', async () => {
  const { store, save, setCopy } = setup({ title: 'A' });
  setCopy({ key: '', at: 5, fields: { title: 'kept' }, base: { title: 'A' }, texts: {} });
  await store.restore();
  store.keepRestored();
  await vi.advanceTimersByTimeAsync(0);
  expect(save).toHaveBeenCalledExactlyOnceWith(expect.anything(), { title: 'kept' });
});

test('lets the API generate the slug as long as it follows the title', async () => {
  const { store, save } = setup({ title: '', slug: null }, { following: new Map([['slug', 'title']]) });
  store.set('title', 'Peace');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { title: 'Peace', slug: null });
  store.set('slug', 'own');
  store.set('title', 'Peace at last');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { title: 'Peace at last', slug: 'own' });
});

test('never writes secrets to the local copy', async () => {
  const { store, copy } = setup({ title: 'A' }, { secret: ['pin'] });
  store.set('pin', '1234');
  store.set('title', 'Aa');
  await store.copyNow();
  expect(copy()?.fields).toEqual({ title: 'Aa' });
});

test('does not save text that is not a valid value', async () => {
  const { store, save } = setup({ views: 1, title: '' });
  store.setText('views', '1x', 'must be a number');
  store.set('title', 'A');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenCalledExactlyOnceWith(expect.anything(), { title: 'A' });
  expect([store.text('views'), store.fault('views'), await store.flush()]).toEqual(['1x', 'must be a number', false]);
  store.set('views', 2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([store.fault('views'), await store.flush()]).toEqual(['', true]);
});

test('creates a new entry at the first change', async () => {
  const save = vi.fn(async (_: Entry | undefined, patch: Record<string, unknown>) => entryOf(patch));
  const store = new EntryStore(undefined, { transport: { save }, backup: { read: async () => undefined, write: async () => undefined, remove: async () => undefined }, initial: { kind: 'news' } });
  expect(store.unsaved).toBe(false);
  store.set('title', 'A');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenCalledExactlyOnceWith(undefined, { kind: 'news', title: 'A' });
  expect(store.meta().entry?.id).toBe(7);
});

test('what a new entry lacks is shown when the user tries to publish or leaves the form, not while it is written', async () => {
  const faults = [{ location: 'fields.summary', message: 'is required' }, { location: 'fields.code', message: 'does not match the pattern ^A' }];
  const store = new EntryStore(undefined, { transport: { save: async (_, fields) => ({ ...entryOf({ summary: null, ...fields }), faults }) }, backup: { read: async () => undefined, write: async () => undefined, remove: async () => undefined } });
  store.set('title', 'A');
  store.set('code', 'B');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([store.fault('summary'), store.fault('code')]).toEqual(['', 'does not match the pattern ^A']);
  expect(store.meta().complaining).toBe(false);
  store.complain();
  expect(store.fault('summary')).toBe('is required');
  expect(store.meta()).toMatchObject({ complaining: true, faults });
  expect(new EntryStore({ ...entryOf({ summary: null }), faults }, { transport: { save: async () => entryOf({}) }, backup: { read: async () => undefined, write: async () => undefined, remove: async () => undefined } }).fault('summary')).toBe('is required');
});

test('what is typed during a conflict is kept, and other fields are saved meanwhile', async () => {
  const { store, save, other, copy } = setup({ title: 'A', body: 'B' });
  other({ title: 'theirs' });
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.meta().state.kind).toBe('conflict');
  store.set('title', 'mine, and more');
  store.set('body', 'written meanwhile');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { body: 'written meanwhile' });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.meta().state.kind).toBe('conflict');
  expect(store.value('title')).toBe('mine, and more');
  expect(copy()).toMatchObject({ fields: { title: 'mine, and more' }, base: { title: 'A' } });
});

test('a conflict stays until it is resolved, also when the entry changes again', async () => {
  const { store, save, other } = setup({ title: 'A', body: 'B' });
  other({ title: 'theirs' });
  store.set('title', 'mine');
  await vi.advanceTimersByTimeAsync(1_000);
  store.refresh(other({ body: 'B2' }));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.meta().conflicts).toEqual([{ name: 'title', base: 'A', mine: 'mine', theirs: 'theirs' }]);
  expect(save).toHaveBeenCalledTimes(1);
});

test('values that can be merged are merged and saved without a question', async () => {
  const { store, save, other } = setup({ body: 'a b' }, { mergeValue: (_, base, mine, theirs) => (base === 'a b' ? `${String(mine)} + ${String(theirs)}` : undefined) });
  other({ body: 'a B' });
  store.set('body', 'A b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.meta()).toMatchObject({ conflicts: [], merged: ['body'], state: { kind: 'saved' } });
  expect(store.value('body')).toBe('A b + a B');
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { body: 'A b + a B' });
});

test('conflicts are merged once the code that merges is loaded', async () => {
  let loaded = false;
  const { store, save, other } = setup({ body: 'base', title: 'A' }, { mergeValue: (_name, _base, mine, theirs) => (loaded ? `${String(mine)} ${String(theirs)}` : undefined) });
  store.set('body', 'mine');
  other({ body: 'theirs' });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.meta().conflicts).toHaveLength(1);
  loaded = true;
  store.mergeConflicts();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(store.meta()).toMatchObject({ conflicts: [], state: { kind: 'saved' } });
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { body: 'mine theirs' });
});

test('undo goes back through all fields in the order of their changes', async () => {
  const { store, save } = setup({ title: 'A', body: [] as unknown[] });
  const type = (text: string) => {
    store.set('title', text);
    vi.advanceTimersByTime(100);
  };
  type('Ab');
  type('Abc');
  store.set('body', [{ _key: 'k' }]);
  type('Abcd');
  expect(store.undo()).toEqual({ name: 'title', at: 'title' });
  expect(store.value('title')).toBe('Abc');
  expect(store.undo()).toEqual({ name: 'body', at: '' });
  expect(store.value('body')).toEqual([]);
  expect(store.value('title')).toBe('Abc');
  store.redo();
  store.redo();
  expect([store.value('title'), store.value('body')]).toEqual(['Abcd', [{ _key: 'k' }]]);
  for (let i = 0; i < 3; i++) store.undo();
  expect(store.value('title')).toBe('A'); // keys that follow each other are one step
  expect(store.undo()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(save).toHaveBeenLastCalledWith(expect.anything(), { title: 'A', body: [] });
});

test('a change that is part of the step before is undone with it', () => {
  const { store } = setup({ text: 'A' });
  store.set('text', new Later(() => 'A with the place of an upload'));
  store.set('text', new Later(() => 'A with a picture'), null);
  store.undo();
  expect(store.value('text')).toBe('A');
  expect(store.undo()).toBeUndefined();
});

test('at least a hundred steps are undone, also after they are saved', async () => {
  const { store } = setup({ title: '0' });
  for (let i = 1; i <= 150; i++) {
    store.set('title', String(i));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  for (let i = 0; i < 150; i++) store.undo();
  expect(store.value('title')).toBe('0');
});

test('the history begins anew after a merge, and says so', async () => {
  const { store, other } = setup({ title: 'A', summary: 'B' });
  store.set('title', 'Mine');
  other({ summary: 'Theirs' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.value('summary')).toBe('Theirs');
  expect(store.meta().undo).toEqual({ can: false, redo: false, restarted: true });
  store.set('title', 'Mine again');
  store.undo();
  expect(store.value('title')).toBe('Mine');
  expect(store.undo()).toBeUndefined();
});
