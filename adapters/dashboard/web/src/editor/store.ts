import { ApiError, asApiError } from '../api/error';
import type { Schemas } from '../api/client';
import type { Backup } from './backup';
import { merge, type Conflict, type MergeValue } from './merge';
import { Steps, type Step } from './steps';
import { empty, same, type Fields } from './values';

export type Entry = Schemas['ManagedEntry'];
export type Fault = { location: string; message: string };

/** A value that is slow to compute, such as rich text. It is read on demand, at the latest when it is saved. */
export class Later {
  constructor(readonly read: () => unknown) {}
}

export type SaveState =
  /** All changes are saved, except values that the server rejected. */
  | { kind: 'saved' }
  | { kind: 'changed' }
  | { kind: 'saving' }
  /** The server cannot be reached; the store retries. */
  | { kind: 'offline' }
  /** The session has ended; saving continues after the sign-in. */
  | { kind: 'signedOut' }
  | { kind: 'conflict' }
  /** The server rejected the save; retrying would not help. */
  | { kind: 'failed'; error: ApiError };

/** The state that the page around the fields shows. Immutable. */
export type Meta = {
  entry?: Entry;
  state: SaveState;
  /** The time of the last save in this session, in milliseconds. */
  savedAt?: number;
  /** What the page shows. Until complaining, not what the user may still be about to fill in. */
  faults: readonly Fault[];
  /** Whether the list of faults is shown: the user tried to publish, left the form, or opened an incomplete entry. */
  complaining: boolean;
  conflicts: readonly Conflict[];
  /** Whether the user is choosing between the versions in conflict. */
  choosing: boolean;
  /** The time of the local copy that was restored and that the user has not yet confirmed, in milliseconds. */
  restored?: number;
  /** The fields that were changed elsewhere while this page was open. */
  merged: readonly string[];
  /** The time of the version that was merged last or is in conflict. */
  theirsAt?: string;
  /** What undo can do. restarted: a merge has ended the earlier history. */
  undo: { can: boolean; redo: boolean; restarted: boolean };
};

export type Transport = {
  /** Creates the entry if it is undefined, else changes its fields. Returns the saved entry. */
  save(entry: Entry | undefined, fields: Fields): Promise<Entry>;
};

export type Options = {
  transport: Transport;
  backup: Backup;
  /** Fields that are never written to the local copy. */
  secret?: readonly string[];
  /** JSON fields. Their arrays are values, not rows. */
  json?: readonly string[];
  /** The source fields of the slugs that follow their source, by slug name. */
  following?: ReadonlyMap<string, string>;
  /** Initial values of a new entry. */
  initial?: Fields;
  /** Merges values that two users changed, such as rich text in which they changed different blocks. */
  mergeValue?: MergeValue;
};

/** When changes are saved, in ms after the last and after the first key. While a preview is open it is to show them soon. */
const pauses = { pause: 1_000, longest: 5_000 };
const hurriedPauses = { pause: 300, longest: 1_000 };
/** The local copy follows a change at once. One that takes long, as that of a long text, is made less often: it may take a fortieth of the time. */
const copyPauses = { shortest: 50, longest: 1_000, perCost: 40 }; // ms, ms, times
const firstRetry = 2_000; // ms
const longestRetry = 60_000; // ms

/** Knows the faults that are not shown yet, because the user is still about to fill the values in. */
export type Patience = { holds: (location: string) => boolean; end: () => void };

/** Whether a value is a text, of which typing changes a letter at a time. */
export const isText = (value: unknown) => typeof value === 'string' || value instanceof Later;

const nameOf = (location: string) => /^fields\.([^[.]+)/.exec(location)?.[1];

/**
 * The values of one entry while it is edited. A change of a field notifies only that field's
 * subscribers. The store saves a second after the last change, or sooner for a preview, keeps unsaved changes in a local
 * copy, and never overwrites a field that has unsaved changes.
 */
export class EntryStore {
  readonly #options: Options;
  readonly #values = new Map<string, unknown>();
  readonly #texts = new Map<string, string>();
  /** The fields with unsaved changes, and the number of the last change of each. */
  readonly #dirty = new Map<string, number>();
  readonly #following: Map<string, string>;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #subscribers = new Map<string, (listener: () => void) => () => void>();
  readonly #metaListeners = new Set<() => void>();
  readonly #faultText = new Map<string, string>();
  #server: Fields = {};
  /** The fields in conflict, with the values before both changes. They are not sent until the user has chosen. */
  readonly #disputed = new Map<string, unknown>();
  #refused: Fault[] = []; // faults of rejected values
  #held = new Set<string>(); // fields of #refused without a change since; they are not sent
  #meta: Meta;
  readonly #steps = new Steps();
  readonly #patient = new Set<Patience>();
  #pauses = pauses;
  #changes = 0;
  #firstChange = 0;
  #saveTimer?: ReturnType<typeof setTimeout>;
  #copyTimer?: ReturnType<typeof setTimeout>;
  #copyCost = 0; // ms, of the last local copy
  #retries = 0;
  #saving?: Promise<void>;
  #closed = false;

  constructor(entry: Entry | undefined, options: Options) {
    this.#options = options;
    this.#following = new Map(options.following);
    this.#server = entry?.fields ?? {};
    for (const [name, value] of Object.entries(entry?.fields ?? options.initial ?? {})) this.#values.set(name, value);
    this.#meta = { entry, state: { kind: 'saved' }, faults: [], complaining: entry !== undefined, conflicts: [], choosing: false, merged: [], undo: { can: false, redo: false, restarted: false } };
    if (!entry) this.#addInitial();
    this.#setFaults();
  }

  // Reading, for the controls and the page.

  value = (name: string): unknown => {
    const value = this.#values.get(name);
    return value instanceof Later ? value.read() : value;
  };
  /** The text of a control if it is not a valid value, such as an unfinished number. */
  text = (name: string) => this.#texts.get(name);
  fault = (name: string) => this.#faultText.get(name) ?? '';
  meta = () => this.#meta;
  /** The place of a field, as in locations of faults. */
  place = (name: string) => name;

  /** The names of the fields with unsaved changes. */
  changed = () => [...new Set([...this.#dirty.keys(), ...this.#texts.keys()])];

  /** The value without reading it, which may be a Later. */
  raw = (name: string): unknown => this.#values.get(name);

  /** Returns the subscribe function of a field. It is the same function for each call. */
  subscribe = (name: string) => {
    let found = this.#subscribers.get(name);
    if (!found) {
      const listeners = new Set<() => void>();
      this.#listeners.set(name, listeners);
      found = (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      };
      this.#subscribers.set(name, found);
    }
    return found;
  };
  subscribeMeta = (listener: () => void) => {
    this.#metaListeners.add(listener);
    return () => void this.#metaListeners.delete(listener);
  };

  /** Whether there are unsaved changes. */
  get unsaved() {
    return this.#meta.entry || this.#changes > Object.keys(this.#options.initial ?? {}).length ? this.#dirty.size > 0 || this.#texts.size > 0 : false;
  }

  // Actions of the user.

  /**
   * Sets the value of a field. at is the place of a text that is typed, whose keys are undone together;
   * '' for a change that stands alone, null for one that is part of the step before.
   */
  set = (name: string, value: unknown, at: string | null = isText(value) ? name : '') => {
    if (at !== null) this.#steps.add({ name, at, value: this.raw(name) });
    this.#apply(name, value);
  };

  /** Undoes or redoes the last change of any field, and returns its place, or undefined if there is none. */
  undo = () => this.#step(this.#steps.undo(this.raw));
  redo = () => this.#step(this.#steps.redo(this.raw));

  #step(step: Step | undefined) {
    if (!step) return undefined;
    this.#apply(step.name, step.value);
    return { name: step.name, at: step.at };
  }

  #apply(name: string, value: unknown) {
    this.#texts.delete(name);
    this.#change(name, value);
    this.#offerUndo();
    if (this.#options.following?.has(name)) {
      // A slug that the editor entered stays; an emptied slug follows its source again.
      if (empty(value)) this.#following.set(name, this.#options.following.get(name)!);
      else this.#following.delete(name);
    }
  }

  #offerUndo() {
    const { can, redo, restarted } = this.#meta.undo;
    const [canUndo, canRedo] = [this.#steps.canUndo, this.#steps.canRedo];
    if (can !== canUndo || redo !== canRedo) this.#update({ undo: { can: canUndo, redo: canRedo, restarted } });
  }

  /** Ends the history: its steps would bring back values from before the changes of another user. */
  #restartUndo() {
    if (this.#steps.clear()) this.#update({ undo: { can: false, redo: false, restarted: true } });
  }

  /** Keeps text that is not a valid value, without changing the value of the field. */
  setText = (name: string, text: string, fault: string) => {
    this.#texts.set(name, text);
    this.#changes++;
    this.#refuse([name], [{ location: `fields.${name}`, message: fault }]);
    this.#touched(name);
  };

  /** The names of the fields whose values are not saved, because they are no values or were rejected. */
  held = () => [...new Set([...this.#held, ...this.#texts.keys()])];

  /** Saves soon after each change, until the returned function is called. */
  hurry = () => {
    this.#pauses = hurriedPauses;
    if (this.unsaved && this.#meta.restored === undefined && this.#meta.state.kind === 'changed') this.#schedule();
    return () => void (this.#pauses = pauses);
  };

  /** Saves now, and returns whether everything is saved. */
  flush = async () => {
    if (this.#meta.restored !== undefined) this.keepRestored();
    clearTimeout(this.#saveTimer);
    await this.#saving;
    await this.#save();
    return !this.unsaved && this.#meta.state.kind === 'saved';
  };

  /** Creates the entry with its initial values, unless it exists. */
  create = async () => {
    if (!this.#meta.entry) await this.#save(true);
  };

  /** Saves again after a network failure, a new sign-in or a rejected save. */
  retry = () => {
    const { kind } = this.#meta.state;
    if (kind !== 'offline' && kind !== 'signedOut' && kind !== 'failed') return;
    this.#retries = 0;
    void this.#save();
  };

  /** Takes the entry from the response of another request, such as its publication. */
  accept = (entry: Entry) => this.#accept(entry, new Map(), {});

  /** Takes an entry that was read again. It is ignored if it is older, or while the store is saving. */
  refresh = (entry: Entry) => {
    if (this.#saving || !this.#meta.entry || entry.version < this.#meta.entry.version) return;
    if (entry.version === this.#meta.entry.version) return this.#update({ entry: { ...entry, faults: entry.faults ?? this.#meta.entry.faults } });
    this.#rebase(entry);
  };

  /** Keeps back faults until the returned function is called. check: when others are kept back. */
  wait = (patience: Patience) => {
    this.#patient.add(patience);
    return () => void this.#patient.delete(patience);
  };
  check = () => this.#setFaults();

  /** Shows all faults from now on. */
  complain = () => {
    this.#patient.forEach((one) => one.end());
    this.#setFaults();
    if (this.#meta.complaining || !this.#meta.entry) return;
    this.#update({ complaining: true });
    this.#setFaults();
  };

  /** Shows the faults of a rejected publication. */
  refusePublication = (faults: readonly Fault[]) => {
    this.complain();
    const entry = this.#meta.entry;
    if (entry) this.#update({ entry: { ...entry, faults: [...faults] } });
    this.#setFaults();
  };

  /** Opens or closes the choice between the versions in conflict, at the request of the user. */
  choose = (choosing: boolean) => this.#update({ choosing: choosing && this.#meta.conflicts.length > 0 });

  /** Resolves conflicts with the chosen value of each field. */
  resolve = (choices: Fields) => {
    this.#restartUndo();
    for (const { name, theirs } of this.#meta.conflicts) {
      if (!(name in choices)) continue;
      const choice = choices[name];
      if (same(choice, theirs)) {
        this.#dirty.delete(name);
        this.#texts.delete(name);
      } else {
        this.#dirty.set(name, ++this.#changes);
      }
      this.#disputed.delete(name);
      this.#show(name, choice);
    }
    const conflicts = this.#meta.conflicts.filter(({ name }) => !(name in choices));
    this.#update({ conflicts, choosing: false, state: conflicts.length ? this.#meta.state : { kind: 'changed' } });
    if (conflicts.length === 0 && this.#meta.restored === undefined) void this.#save();
  };

  /** Merges the conflicts that can be merged by now, after the code that merges values was loaded. */
  mergeConflicts = () => {
    const { mergeValue } = this.#options;
    const merged = this.#meta.conflicts.map(({ name, base, theirs }) => [name, mergeValue?.(name, base, this.value(name), theirs)] as const).filter(([, value]) => value !== undefined);
    if (merged.length > 0 && !this.#closed) this.resolve(Object.fromEntries(merged));
  };

  // The local copy of unsaved changes.

  /** Restores the local copy. It is saved only after the user confirms it or changes a field. */
  restore = async () => {
    const copy = await this.#options.backup.read();
    if (!copy || this.#closed || this.unsaved) return;
    const { kept, conflicts, merged } = merge(copy.base, copy.fields, this.#server, this.#options.mergeValue);
    const texts = Object.entries(copy.texts);
    if (kept.length === 0 && texts.length === 0) return void this.#options.backup.remove();
    for (const name of kept) {
      this.#dirty.set(name, ++this.#changes);
      this.#show(name, name in merged ? merged[name] : copy.fields[name]);
    }
    this.#dispute(conflicts);
    for (const [name, text] of texts) {
      this.#texts.set(name, text);
      this.#notify(name);
    }
    this.#update({ restored: copy.at, theirsAt: this.#meta.entry?.updatedAt, conflicts, state: conflicts.length ? { kind: 'conflict' } : { kind: 'changed' } });
  };

  keepRestored = () => {
    this.#update({ restored: undefined });
    this.#schedule(0);
  };

  discardRestored = () => {
    const names = [...this.#dirty.keys(), ...this.#texts.keys()];
    this.#steps.clear();
    this.#offerUndo();
    this.#dirty.clear();
    this.#texts.clear();
    this.#disputed.clear();
    const { entry } = this.#meta;
    if (!entry) this.#addInitial();
    for (const name of names) this.#show(name, (entry ? this.#server : this.#options.initial)?.[name]);
    void this.#options.backup.remove();
    this.#update({ restored: undefined, conflicts: [], choosing: false, state: { kind: 'saved' } });
  };

  /** Writes the local copy without delay, for example when the page is hidden. */
  copyNow = async () => {
    clearTimeout(this.#copyTimer);
    this.#copyTimer = undefined;
    if (!this.unsaved) return;
    const began = performance.now();
    const fields: Record<string, unknown> = {};
    const base: Record<string, unknown> = {};
    for (const name of this.#dirty.keys()) {
      if (this.#options.secret?.includes(name)) continue;
      fields[name] = this.value(name);
      base[name] = this.#disputed.has(name) ? this.#disputed.get(name) : this.#server[name];
    }
    const written = this.#options.backup.write({ at: Date.now(), fields, base, texts: Object.fromEntries(this.#texts) });
    this.#copyCost = performance.now() - began;
    await written;
  };

  /** Drops all changes, because the entry is deleted. */
  drop = () => {
    clearTimeout(this.#saveTimer);
    clearTimeout(this.#copyTimer);
    this.#dirty.clear();
    this.#texts.clear();
    void this.#options.backup.remove();
  };

  /** Stops all timers. Unsaved changes stay in the local copy. */
  close = () => {
    this.#closed = true;
    clearTimeout(this.#saveTimer);
    void this.copyNow();
  };
  open = () => {
    this.#closed = false;
    if (this.unsaved) this.#schedule();
  };

  /** Makes the initial values of a new entry part of the first save. They alone are not unsaved changes. */
  #addInitial() {
    this.#changes = 0;
    for (const name of Object.keys(this.#options.initial ?? {})) this.#dirty.set(name, ++this.#changes);
  }

  // Saving.

  #change(name: string, value: unknown) {
    this.#values.set(name, value);
    this.#dirty.set(name, ++this.#changes);
    this.#held.delete(name);
    this.#touched(name);
  }

  #touched(name: string) {
    this.#notify(name);
    if (this.#meta.restored !== undefined) this.#update({ restored: undefined });
    const { kind } = this.#meta.state;
    if (kind === 'saved' || kind === 'failed') this.#update({ state: { kind: 'changed' } });
    this.#schedule();
    this.#copyTimer ??= setTimeout(() => void this.copyNow(), Math.min(copyPauses.longest, Math.max(copyPauses.shortest, copyPauses.perCost * this.#copyCost)));
  }

  #schedule(pause = this.#pauses.pause) {
    if (this.#closed) return;
    const now = Date.now();
    this.#firstChange ||= now;
    clearTimeout(this.#saveTimer);
    const { kind } = this.#meta.state;
    // Typing must not shorten the backoff while the server cannot be reached.
    const wait = kind === 'offline' ? this.#retryPause() : Math.max(0, Math.min(pause, this.#firstChange + this.#pauses.longest - now));
    this.#saveTimer = setTimeout(() => void this.#save(), wait);
  }

  #retryPause() {
    return Math.min(firstRetry * 2 ** Math.max(0, this.#retries - 1), longestRetry) * (0.75 + Math.random() / 2);
  }

  #save(evenEmpty = false): Promise<void> {
    this.#saving ??= this.#saveAll(evenEmpty).finally(() => (this.#saving = undefined));
    return this.#saving;
  }

  /** Saves repeatedly until no savable change is left. */
  async #saveAll(evenEmpty: boolean) {
    for (;;) {
      clearTimeout(this.#saveTimer);
      this.#firstChange = 0;
      const { patch, sent } = this.#patch();
      if (sent.size === 0 && !evenEmpty) {
        if (this.#meta.state.kind === 'changed') this.#update({ state: this.#rest() });
        return;
      }
      this.#update({ state: { kind: 'saving' } });
      try {
        const entry = await this.#options.transport.save(this.#meta.entry, patch);
        this.#retries = 0;
        this.#accept(entry, sent, patch);
        this.#update({ savedAt: Date.now() });
        if ([...this.#dirty.keys()].some((name) => !this.#held.has(name) && !this.#disputed.has(name))) {
          // Changes made during the request are saved after the usual pause.
          this.#update({ state: { kind: 'changed' } });
          this.#schedule();
        } else {
          this.#update({ state: this.#rest() });
          if (this.unsaved) void this.copyNow();
          else void this.#options.backup.remove();
        }
        return;
      } catch (caught) {
        if (!this.#recover(asApiError(caught), sent)) return;
      }
    }
  }

  #patch() {
    const patch: Record<string, unknown> = {};
    const sent = new Map<string, number>();
    for (const [name, change] of this.#dirty) {
      if (this.#held.has(name) || this.#disputed.has(name) || this.#texts.has(name)) continue;
      const value = this.value(name);
      // Empty rows are not values.
      if (this.#options.json?.includes(name)) patch[name] = value ?? null;
      else patch[name] = Array.isArray(value) ? value.filter((one) => !empty(one)) : empty(value) ? null : value;
      sent.set(name, change);
    }
    for (const [slug, source] of this.#following) if (source in patch && !this.#dirty.has(slug)) patch[slug] = null;
    return { patch, sent };
  }

  #accept(entry: Entry, sent: ReadonlyMap<string, number>, patch: Fields) {
    for (const [name, change] of sent) if (this.#dirty.get(name) === change) this.#dirty.delete(name);
    const before = this.#server;
    this.#server = entry.fields;
    this.#refused = this.#refused.filter((fault) => this.#held.has(nameOf(fault.location) ?? ''));
    for (const [name, value] of Object.entries(entry.fields)) {
      // Keep the typed form of a value that was just sent; the API may normalize it.
      const typed = sent.has(name) && patch[name] !== null;
      if (this.#dirty.has(name) || typed || same(before[name], value)) continue;
      this.#show(name, value);
    }
    this.#update({ entry });
    this.#setFaults();
  }

  /** Handles a failed save. Returns whether to save again at once. */
  #recover(error: ApiError, sent: ReadonlyMap<string, number>) {
    if (error.status === 412 && error.problem.current) {
      this.#rebase(error.problem.current as Entry);
      return true;
    }
    if (error.status === 422) {
      const named = new Set(error.faults.map((fault) => nameOf(fault.location)).filter((name) => name !== undefined));
      const refused = [...sent.keys()].filter((name) => named.has(name));
      if (refused.length > 0) {
        this.#refuse(refused, error.faults);
        this.#update({ state: { kind: 'changed' } });
        return true;
      }
    }
    if (error.status === 401) {
      this.#update({ state: { kind: 'signedOut' } });
    } else if (error.temporary) {
      this.#retries++;
      this.#update({ state: { kind: 'offline' } });
      this.#schedule();
    } else {
      this.#update({ state: { kind: 'failed', error } });
    }
    void this.copyNow();
    return false;
  }

  /** The state when nothing is left to be sent. */
  #rest(): SaveState {
    return { kind: this.#meta.conflicts.length > 0 ? 'conflict' : 'saved' };
  }

  #dispute(conflicts: readonly Conflict[]) {
    this.#disputed.clear();
    for (const { name, base } of conflicts) this.#disputed.set(name, base);
  }

  /** Does not send these fields again until they change, and shows their faults. */
  #refuse(names: readonly string[], faults: readonly Fault[]) {
    for (const name of names) this.#held.add(name);
    this.#refused = [...this.#refused.filter((f) => !names.includes(nameOf(f.location) ?? '')), ...faults.map(({ location, message }) => ({ location, message }))];
    this.#setFaults();
  }

  /** Takes another writer's version: fields without local changes get its values. */
  #rebase(entry: Entry) {
    this.#restartUndo();
    const mine: Record<string, unknown> = {};
    for (const name of this.#dirty.keys()) mine[name] = this.value(name);
    const { kept, conflicts, merged } = merge({ ...this.#server, ...Object.fromEntries(this.#disputed) }, mine, entry.fields, this.#options.mergeValue);
    for (const name of Object.keys(mine)) if (!kept.includes(name)) this.#dirty.delete(name);
    const theirs = Object.keys(entry.fields).filter((name) => (!(name in mine) || name in merged) && !same(this.#server[name], entry.fields[name]));
    this.#accept(entry, new Map(), {});
    this.#dispute(conflicts);
    for (const [name, value] of Object.entries(merged)) {
      this.#dirty.set(name, ++this.#changes);
      this.#show(name, value);
    }
    const sends = [...this.#dirty.keys()].some((name) => !this.#disputed.has(name)) || this.#texts.size > 0;
    this.#update({
      conflicts,
      choosing: this.#meta.choosing && conflicts.length > 0,
      merged: theirs.length ? theirs : this.#meta.merged,
      theirsAt: theirs.length || conflicts.length ? entry.updatedAt : this.#meta.theirsAt,
      state: conflicts.length && !sends ? { kind: 'conflict' } : this.unsaved ? { kind: 'changed' } : this.#meta.state.kind === 'saving' ? { kind: 'saved' } : this.#meta.state,
    });
    if (conflicts.length) void this.copyNow();
    if (this.#meta.state.kind === 'changed' && this.#meta.restored === undefined) this.#schedule();
  }

  #show(name: string, value: unknown) {
    this.#values.set(name, value);
    this.#notify(name);
  }

  #notify(name: string) {
    this.#listeners.get(name)?.forEach((listener) => listener());
  }

  #setFaults() {
    const refusedNames = new Set(this.#refused.map((f) => nameOf(f.location)));
    const held = (location: string) => [...this.#patient].some((one) => one.holds(location));
    const shown = ({ location }: Fault) => !held(location) && (this.#meta.complaining || !empty(this.value(nameOf(location) ?? '')));
    const faults = [...this.#refused, ...(this.#meta.entry?.faults ?? []).filter((f) => !refusedNames.has(nameOf(f.location)) && shown(f))];
    const text = new Map<string, string>();
    for (const { location, message } of faults) {
      const name = nameOf(location);
      if (name === undefined) continue;
      const index = /\[(\d+)\]/.exec(location)?.[1];
      const line = index === undefined ? message : `${Number(index) + 1}: ${message}`;
      text.set(name, text.has(name) ? `${text.get(name)}; ${line}` : line);
    }
    const changed = [...new Set([...this.#faultText.keys(), ...text.keys()])].filter((name) => this.#faultText.get(name) !== text.get(name));
    this.#faultText.clear();
    for (const [name, line] of text) this.#faultText.set(name, line);
    if (changed.length === 0 && same(faults, this.#meta.faults)) return;
    for (const name of changed) this.#notify(name);
    this.#update({ faults });
  }

  #update(change: Partial<Meta>) {
    this.#meta = { ...this.#meta, ...change };
    this.#metaListeners.forEach((listener) => listener());
  }
}
