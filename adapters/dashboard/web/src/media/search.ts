import { positive } from '../shell/search';
import { mediaKinds, type MediaKind } from './kind';

/** The state of the page in its URL. */
export type MediaSearch = {
  /** Search words for captions, file names and tags. */
  search?: string;
  type?: MediaKind;
  /** The path of a folder; empty: the files in no folder. */
  folder?: string;
  /** The item that the panel shows. */
  item?: number;
};

export function parseMediaSearch(raw: Record<string, unknown>): MediaSearch {
  return {
    search: raw.search === undefined || raw.search === '' ? undefined : String(raw.search),
    type: mediaKinds.find((kind) => kind === raw.type),
    folder: raw.folder === undefined ? undefined : String(raw.folder),
    item: positive(raw.item),
  };
}
