import { withTexts } from '../../texts/load';
import { apart } from '../../ui/apart';

/** The control of groups and blocks. Loaded on demand: few collections need it. */
export const ItemsControl = apart(() => withTexts(import('./control'), 'items').then((m) => m.ItemsControl));
