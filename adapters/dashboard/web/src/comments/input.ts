import { withIds } from './names';
import type { CommentInput } from './pending';
import type { Unsent } from './unsent';

/** The comment as the API takes it. */
export const inputOf = ({ about, entryId, text, people, must, replace }: Unsent): CommentInput => ({ ...about, entryId, text: withIds(text.trim(), people), must, replace });
