import { apart } from '../../ui/apart';

/** The control of rich text. Loaded apart: large, and few collections have some. */
export const RichTextControl = apart(() => import('./control').then((m) => m.RichTextControl));
