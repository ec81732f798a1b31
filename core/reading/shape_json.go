package reading

import (
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
)

// MediaJSON returns item as a MediaView object: id, fileName, fullUrl, thumbUrl,
// thumbWebpUrl, fullWebpUrl, caption, tags, size, width, height, alt, focalPoint, color. files is the base
// URL of /files, as in fileurl.URL. An absent member (a rendition, the caption, the alt text, the focal
// point, the width, height and colour of a file that is not a picture) is null; tags is always a list.
func MediaJSON(files fileurl.Base, item core.MediaItem) []byte {
	b := make([]byte, 0, 512)
	b = strconv.AppendInt(append(b, `{"id":`...), item.ID, 10)
	b = canonical.AppendQuote(append(b, `,"fileName":`...), item.FileName)
	b = canonical.AppendQuote(append(b, `,"fullUrl":`...), fileurl.URL(files, item.Full, item.FileName))
	b = appendText(append(b, `,"thumbUrl":`...), fileurl.URL(files, item.Thumb, item.FileName))
	b = appendText(append(b, `,"thumbWebpUrl":`...), fileurl.URL(files, item.ThumbWebP, item.FileName))
	b = appendText(append(b, `,"fullWebpUrl":`...), fileurl.URL(files, item.FullWebP, item.FileName))
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
	b = appendText(append(b, `,"alt":`...), item.Alt)
	b = append(b, `,"focalPoint":`...)
	if item.FocalPoint == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, item.FocalPoint.JSON()...)
	}
	b = appendText(append(b, `,"color":`...), item.Color)
	return append(b, '}')
}

// appendTime appends t as core.FormatTime writes it, in quotes; null when zero.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return append(core.AppendTime(append(b, '"'), t), '"')
}

// appendText appends text, or null when it is empty.
func appendText(b []byte, text string) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return canonical.AppendQuote(b, text)
}

// appendCount appends n, or null when it is 0.
func appendCount(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}

// parseID parses raw, the canonical JSON of an id. It returns 0 if raw is not an id.
func parseID(raw []byte) int64 {
	const most = 16 // digits of 2^53
	if len(raw) > most {
		return 0
	}
	var id int64
	for _, c := range raw {
		if !isDigit(c) {
			return 0
		}
		id = id*10 + int64(c-'0')
	}
	return id
}
