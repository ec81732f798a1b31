package writing

import (
	"encoding/json"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/fileurl"
)

// linkResolver replaces what a write names in the links of rich text by what is stored.
type linkResolver struct {
	entries map[int64]*core.Entry // by id
	items   map[int64]*core.MediaItem
	media   []core.MediaItem // the items
	files   []fileurl.Base   // of this installation
}

// resolve returns the written value raw of f at location with stored links: data-media with an existing item,
// data-entry with the translation group of an existing entry. The address of a file of the library
// becomes data-media, in whichever rendition. The width, height and alt of the item are left out, because
// responses add them. A link that is one of before may stay when its target has been deleted, so
// that the rest of the text can change.
func (r *linkResolver) resolve(f *core.Field, location string, raw json.RawMessage, before core.References, found *core.Faults) json.RawMessage {
	return f.EditLinks(raw, func(at string, l *core.Link) {
		fault := func(message string) {
			found.Add(location+at, f.Shown(core.FormatID(l.ID)), message)
		}
		switch l.Target {
		case core.ToMedia:
			if item := r.items[l.ID]; item != nil {
				withoutAdded(l, item)
			} else if !slices.Contains(before.Media, l.ID) {
				fault("no such media item")
			}
		case core.ToGroup:
			if e := r.entries[l.ID]; e != nil {
				l.PointTo(core.ToGroup, e.Group)
			} else if !slices.Contains(before.Groups, l.ID) {
				fault("no such entry")
			}
		case core.ToFile:
			if item := r.file(l); item != nil {
				l.PointTo(core.ToMedia, item.ID)
				withoutAdded(l, item)
			}
		}
	})
}

// file returns the item of the library whose file the address of l names, if possible one with the
// file name of the address, or nil.
func (r *linkResolver) file(l *core.Link) (found *core.MediaItem) {
	address := l.Address()
	if !slices.ContainsFunc(r.files, func(b fileurl.Base) bool { return b.Serves(address) }) {
		return nil
	}
	for i := range r.media {
		item := &r.media[i]
		if !slices.Contains(item.Files(), l.File) {
			continue
		}
		if fileurl.SameFile(address, fileurl.URL("", l.File, item.FileName)) {
			return item
		}
		if found == nil || item.ID < found.ID {
			found = item
		}
	}
	return found
}

// withoutAdded removes the width, the height and the alt that responses add to a picture.
func withoutAdded(l *core.Link, item *core.MediaItem) {
	if l.Attribute("width") == strconv.Itoa(item.Width) && l.Attribute("height") == strconv.Itoa(item.Height) {
		l.Remove("width", "height")
	}
	if l.IsPicture() && item.Alt != "" && l.Attribute("alt") == item.Alt {
		l.Remove("alt")
	}
}
