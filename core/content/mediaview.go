package content

import "imprimatur/core"

// MediaJSON returns item as a MediaView object: id, fileName, fullUrl, thumbUrl,
// thumbWebpUrl, fullWebpUrl, caption, tags, size, width, height. What an item does
// not have (a variant, a caption, the pixels of a file that is no picture) is null;
// tags is always a list.
func MediaJSON(item core.MediaItem) []byte { return nil }
