import { Blocks, Braces, Calendar, CalendarClock, Clock, Group, Hash, Image, KeyRound, Link, Link2, List, Mail, Palette, Pilcrow, TextCursorInput, ToggleLeft, Type, Waypoints, type LucideIcon } from 'lucide-react';
import type { Schemas } from '../../api/client';

export type FieldType = Schemas['Field']['type'];

/** The options that fields of a type support. Must match core/fieldtype. */
type Abilities = {
  icon: LucideIcon;
  /** Single values can be unique. */
  unique?: true;
  /** Single values have a length and can match a pattern. */
  length?: true;
  /** Values are compared as text, so that searches can use an index. */
  text?: true;
  /** Fields cannot have several values. */
  single?: true;
  /** The kind of input for the default value; undefined if defaults are not supported. */
  initial?: 'text' | 'number' | 'boolean' | 'choice' | 'date' | 'time';
  /** Values are compared and can have their own index. */
  indexable?: true;
  /** Values are ids, which conditions compare. */
  reference?: true;
  /** Components can have fields of the type. Default: true. */
  inside?: false;
  /** Values are items of components: of one, or of several in any mixture. */
  items?: 'one' | 'several';
};

export const fieldTypes: Record<FieldType, Abilities> = {
  text: { icon: Type, unique: true, length: true, text: true, initial: 'text', indexable: true },
  longtext: { icon: TextCursorInput, length: true, text: true },
  richtext: { icon: Pilcrow, length: true, text: true },
  slug: { icon: Link2, unique: true, length: true, text: true, indexable: true },
  email: { icon: Mail, unique: true, length: true, text: true, initial: 'text', indexable: true },
  url: { icon: Link, unique: true, length: true, text: true, initial: 'text', indexable: true },
  password: { icon: KeyRound, length: true, single: true, inside: false },
  number: { icon: Hash, unique: true, initial: 'number', indexable: true },
  boolean: { icon: ToggleLeft, initial: 'boolean', indexable: true },
  date: { icon: Calendar, unique: true, initial: 'date', indexable: true },
  time: { icon: Clock, unique: true, initial: 'time', indexable: true },
  datetime: { icon: CalendarClock, unique: true, indexable: true },
  enumeration: { icon: List, unique: true, text: true, initial: 'choice', indexable: true },
  color: { icon: Palette, unique: true, text: true, initial: 'text', indexable: true },
  json: { icon: Braces },
  group: { icon: Group, items: 'one' },
  blocks: { icon: Blocks, single: true, items: 'several' },
  media: { icon: Image, reference: true },
  relation: { icon: Waypoints, reference: true },
};
