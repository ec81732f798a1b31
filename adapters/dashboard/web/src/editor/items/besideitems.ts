import { createContext, type ReactNode } from 'react';
import type { Field } from '../context';

/** Shows the item of another translation beside the card of an item: its name, and its fields while the card is open. */
export type ShowBeside = (at: { field: Field; index: number; isOpen: boolean }) => ReactNode;

/** Set around the fields of an entry that has a translation beside it, and not inside of its items. */
export const BesideItems = createContext<ShowBeside | null>(null);
