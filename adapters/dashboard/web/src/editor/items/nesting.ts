import { createContext, type ComponentType } from 'react';
import type { Field } from '../context';
import type { Outline } from './outline';

/** The control of one field, with its label. It is handed down, because it also shows the cards. */
export type FieldControlOf = ComponentType<{ field: Field }>;

/** The cards around a control, and how many levels of them. */
export type Nesting = { outline: Outline; depth: number; control: FieldControlOf };
export const NestingContext = createContext<Nesting | null>(null);

/** What a card can do with its item. The functions stay the same, so that no other card is rendered. */
export type CardActions = {
  move: (key: string | undefined, by: number) => void;
  openMenu: (key: string | undefined, button: HTMLButtonElement) => void;
  insertAfter: (key: string | undefined, button: HTMLButtonElement) => void;
  drag: (event: React.PointerEvent, key: string | undefined) => void;
};
