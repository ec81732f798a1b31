import { apart } from '../../ui/apart';

/** The rich text control. Loaded on demand: it is large, and few collections need it. */
export const RichTextControl = apart(() => import('./control').then((m) => m.RichTextControl));
