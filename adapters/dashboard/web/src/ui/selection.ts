import { useCallback, useMemo, useState } from 'react';

type Item = { id: number };

/** The selected items of a list, in the order in which they were selected. */
export type Selection<T extends Item> = {
  items: ReadonlyMap<number, T>;
  has: (id: number) => boolean;
  /** Selects or unselects items. */
  set: (items: readonly T[], selected: boolean) => void;
  clear: () => void;
};

/** The selection of the list that `list` identifies. Another list starts with an empty selection. */
export function useSelection<T extends Item>(list: string): Selection<T> {
  const [state, setState] = useState<{ list: string; items: ReadonlyMap<number, T> }>({ list, items: new Map() });
  const items = useMemo(() => (state.list === list ? state.items : new Map<number, T>()), [state, list]);
  const set = useCallback(
    (changed: readonly T[], selected: boolean) =>
      setState((old) => {
        const next = new Map(old.list === list ? old.items : []);
        for (const item of changed) {
          if (selected) next.set(item.id, item);
          else next.delete(item.id);
        }
        return { list, items: next };
      }),
    [list],
  );
  const clear = useCallback(() => setState({ list, items: new Map() }), [list]);
  return useMemo(() => ({ items, has: (id) => items.has(id), set, clear }), [items, set, clear]);
}
