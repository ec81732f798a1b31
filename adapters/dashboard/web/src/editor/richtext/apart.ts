import { withTexts } from '../../texts/load';
import { apart } from '../../ui/apart';

const load = () => withTexts(import('./control'), 'editor').then((m) => m.RichTextControl);

/** The rich text control. Loaded on demand: it is large, and few collections need it. */
export const RichTextControl = apart(load);
