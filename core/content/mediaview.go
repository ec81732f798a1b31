package content

import (
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// MediaJSON returns item as a MediaView object: id, fileName, fullUrl, thumbUrl,
// thumbWebpUrl, fullWebpUrl, caption, tags, size, width, height. files is the
// address that serves /files, as in core.FileURL. What an item does
// not have (a variant, a caption, the pixels of a file that is no picture) is null;
// tags is always a list.
func MediaJSON(files core.FileBase, item core.MediaItem) []byte {
	b := make([]byte, 0, 512)
	b = strconv.AppendInt(append(b, `{"id":`...), item.ID, 10)
	b = canonical.AppendQuote(append(b, `,"fileName":`...), item.FileName)
	b = canonical.AppendQuote(append(b, `,"fullUrl":`...), core.FileURL(files, item.Full, item.FileName))
	b = appendText(append(b, `,"thumbUrl":`...), core.FileURL(files, item.Thumb, item.FileName))
	b = appendText(append(b, `,"thumbWebpUrl":`...), core.FileURL(files, item.ThumbWebP, item.FileName))
	b = appendText(append(b, `,"fullWebpUrl":`...), core.FileURL(files, item.FullWebP, item.FileName))
	b = appendText(append(b, `,"caption":`...), item.Caption)
	b = append(b, `,"tags":[`...)
	for i, tag := range item.Tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = canonical.AppendQuote(b, tag)
	}
	b = strconv.AppendInt(append(b, `],"size":`...), item.Size, 10)
	b = appendCount(append(b, `,"width":`...), int64(item.Width))
	b = appendCount(append(b, `,"height":`...), int64(item.Height))
	return append(b, '}')
}
