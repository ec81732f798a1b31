import { isText, type EntryStore } from '../store';
import type { FieldStore } from '../context';
import { countInside, faultsByPlace, isInside, placeOf } from './places';
import { admitted, indexOf, isList, Items, itemsOf, type Component, type Components, type Field, type Item } from './values';

/** What the cards of one field of the entry share: the items, which cards are open, and the faults by place. */
export class Outline {
  readonly #listeners = new Set<() => void>();
  readonly #stores = new Map<string, ItemStore>();
  readonly #open = new Map<string, boolean>();
  readonly #texts = new Map<string, { text: string; fault: string }>();
  /** The places of new items, and of their fields that the user has left. */
  readonly #fresh = new Set<string>();
  readonly #left = new Set<string>();
  #faults: ReadonlyMap<string, string> = new Map();
  #seen: unknown;
  #shown: readonly Level[];

  constructor(
    readonly store: EntryStore,
    readonly field: Field,
    readonly components: Components,
  ) {
    this.#shown = [{ values: store, field }];
    this.#read();
  }

  /** Follows the store until the returned function is called. */
  start = () => {
    this.#read();
    const [stopValue, stopMeta] = [this.store.subscribe(this.field.name)(this.notify), this.store.subscribeMeta(() => this.#read() && this.notify())];
    const stopWaiting = this.store.wait({ holds: this.#isAwaited, end: () => this.#fresh.clear() });
    return () => {
      stopWaiting();
      stopValue();
      stopMeta();
    };
  };

  /** Keeps back the faults of a new item, each until the user leaves the field. */
  added = (place: string) => void this.#fresh.add(place);
  left = (place: string) => {
    if (this.#left.has(place) || ![...this.#fresh].some((item) => isInside(place, item))) return;
    this.#left.add(place);
    this.store.check();
  };
  #isAwaited = (location: string) => {
    if (this.#fresh.size === 0) return false;
    const place = placeOf(location, this.store.raw)?.place;
    return place !== undefined && !this.#left.has(place) && [...this.#fresh].some((item) => isInside(place, item));
  };

  /** Reads the faults again if they changed. Their indexes are those of the items now. */
  #read() {
    const { faults } = this.store.meta();
    if (faults === this.#seen) return false;
    this.#seen = faults;
    this.#faults = faultsByPlace(faults, this.store.raw);
    return true;
  }

  notify = () => this.#listeners.forEach((listener) => listener());
  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  fault = (place: string) => this.#texts.get(place)?.fault ?? this.#faults.get(place) ?? '';
  faultsInside = (place: string) => countInside(this.#faults, place) + countInside(this.#texts, place);
  text = (place: string) => this.#texts.get(place)?.text;
  setText = (place: string, text: string, fault: string) => {
    this.#texts.set(place, { text, fault });
    this.notify();
  };
  dropText = (place: string) => void this.#texts.delete(place);

  isOpen = (place: string, otherwise = false) => this.#open.get(place) ?? otherwise;
  open = (places: readonly string[], open = true) => {
    for (const place of places) this.#open.set(place, open);
    this.notify();
  };

  /** The levels from the field of the entry to the one that is shown. */
  levels = () => this.#shown;
  show = (levels: readonly Level[]) => {
    this.#shown = levels;
    this.notify();
  };

  /** The values of an item. Returns the same store for the same item. */
  item = (values: FieldStore, field: Field, key: string | undefined, component: Component): ItemStore => {
    const place = `${values.place(field.name)} ${key ?? ''} ${component.slug}`;
    let found = this.#stores.get(place);
    if (!found || found.component !== component) this.#stores.set(place, (found = new ItemStore(this, values, field, key, component)));
    return found;
  };
}

/** A field with items, in the entry or in an item. */
export type Level = { values: FieldStore; field: Field };

/** The values of one item, for the controls of its fields. A change replaces the item in the field around it. */
export class ItemStore implements FieldStore {
  readonly #at: string;

  constructor(
    readonly outline: Outline,
    readonly around: FieldStore,
    readonly field: Field,
    readonly key: string | undefined,
    readonly component: Component,
  ) {
    this.#at = key === undefined ? around.place(field.name) : `${around.place(field.name)}[${key}]`;
  }

  /** The place of the item itself. */
  get at() {
    return this.#at;
  }

  item = (): Item | undefined => {
    const items = itemsOf(this.around.raw(this.field.name));
    return this.key === undefined ? items[0] : items[indexOf(items, this.key)];
  };
  place = (name: string) => `${this.#at}.${name}`;
  raw = (name: string): unknown => this.item()?.[name];
  value = (name: string): unknown => {
    const raw = this.raw(name);
    return raw !== null && typeof raw === 'object' && 'read' in raw && typeof raw.read === 'function' ? raw.read() : raw;
  };
  text = (name: string) => this.outline.text(this.place(name));
  fault = (name: string) => this.outline.fault(this.place(name));
  subscribe = (_name: string) => this.outline.subscribe;

  set = (name: string, value: unknown, at: string | null = isText(value) ? this.place(name) : '') => {
    const items = itemsOf(this.around.raw(this.field.name));
    const index = this.key === undefined ? 0 : indexOf(items, this.key);
    if (!items[index]) return; // removed meanwhile
    this.outline.dropText(this.place(name));
    setItems(this.outline, this.around, this.field, items.with(index, { ...items[index], [name]: value }), at);
  };
  setText = (name: string, text: string, fault: string) => this.outline.setText(this.place(name), text, fault);
}

/** Sets the items of a field. at is the place of a text in them that is typed, as in EntryStore.set. */
export function setItems({ components }: Outline, values: FieldStore, field: Field, items: readonly Item[], at: string | null = '') {
  values.set(field.name, new Items(items, field, components), at);
}

/** The components that a field admits and that exist. */
export const offered = ({ components }: Outline, field: Field) => admitted(field).flatMap((slug) => components.get(slug) ?? []);

/** How many items a list must and can have. */
export const limits = (field: Field) => ({ min: field.min ?? (field.required ? 1 : 0), max: isList(field) ? (field.max ?? undefined) : 1 });
