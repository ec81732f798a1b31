import { useCallback, useMemo, useState } from 'react';
import type { ManagedEntry } from './fields';

/** The selected entries of a list, in the order in which they were selected. */
export type Selection = {
  entries: ReadonlyMap<number, ManagedEntry>;
  has: (id: number) => boolean;
  /** Selects or unselects entries. */
  set: (entries: readonly ManagedEntry[], selected: boolean) => void;
  clear: () => void;
};

/** The selection of the list that `list` identifies. Another list starts with an empty selection. */
export function useSelection(list: string): Selection {
  const [state, setState] = useState<{ list: string; entries: ReadonlyMap<number, ManagedEntry> }>({ list, entries: new Map() });
  const entries = useMemo(() => (state.list === list ? state.entries : new Map<number, ManagedEntry>()), [state, list]);
  const set = useCallback(
    (changed: readonly ManagedEntry[], selected: boolean) =>
      setState((old) => {
        const next = new Map(old.list === list ? old.entries : []);
        for (const entry of changed) {
          if (selected) next.set(entry.id, entry);
          else next.delete(entry.id);
        }
        return { list, entries: next };
      }),
    [list],
  );
  const clear = useCallback(() => setState({ list, entries: new Map() }), [list]);
  return useMemo(() => ({ entries, has: (id) => entries.has(id), set, clear }), [entries, set, clear]);
}
