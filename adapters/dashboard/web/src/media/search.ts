import { positive } from '../shell/search';
import { mediaKinds, type MediaKind } from './kind';

/** The state of the page in its URL. */
export type MediaSearch = {
  /** Search words for captions, file names and tags. */
  search?: string;
  type?: MediaKind;
  /** The item that the panel shows. */
  item?: number;
};

export function parseMediaSearch(raw: Record<string, unknown>): MediaSearch {
  return {
    search: raw.search === undefined || raw.search === '' ? undefined : String(raw.search),
    type: mediaKinds.find((kind) => kind === raw.type),
    item: positive(raw.item),
  };
}
