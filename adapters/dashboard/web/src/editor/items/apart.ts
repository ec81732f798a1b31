import { withTexts } from '../../texts/load';
import { apart } from '../../ui/apart';

const load = () => withTexts(import('./control'), 'items').then((m) => m.ItemsControl);

/** The control of groups and blocks. Loaded on demand: few collections need it. */
export const ItemsControl = apart(load);
