package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/wI2L/jsondiff"

	"imprimatur/core/canonical"
)

// SealedItem is the part of a media item that a version of an entry shows: its bytes, by their
// hash, and its words (file name, caption, tags, alternative text and focal point). An empty Alt and
// a nil FocalPoint are not part of the JSON, because they were added later than the other members:
// versions without them keep their hashes.
type SealedItem struct {
	Hash     string   `json:"hash"`
	FileName string   `json:"fileName"`
	Caption  string   `json:"caption"`
	Tags     []string `json:"tags"`

	Alt        string      `json:"alt,omitempty"`
	FocalPoint *FocalPoint `json:"focalPoint,omitempty"`
}

// SameWords reports whether m has the words of s.
func (s *SealedItem) SameWords(m *MediaItem) bool {
	return s.FileName == m.FileName && s.Caption == m.Caption && slices.Equal(s.Tags, m.Tags) &&
		s.Alt == m.Alt && s.FocalPoint.Equal(m.FocalPoint)
}

// WithWords returns m with the words of s.
func (s *SealedItem) WithWords(m MediaItem) MediaItem {
	m.FileName, m.Caption, m.Tags, m.Alt, m.FocalPoint = s.FileName, s.Caption, s.Tags, s.Alt, s.FocalPoint
	return m
}

// Seal returns the sealed media of items as a canonical JSON object of SealedItem by id, or nil
// when there are no items.
func Seal(items []MediaItem) Document {
	if len(items) == 0 {
		return nil
	}
	sealed := make(map[string]json.RawMessage, len(items))
	for i := range items {
		m := &items[i]
		tags := []byte{'['}
		for n, tag := range m.Tags {
			if n > 0 {
				tags = append(tags, ',')
			}
			tags = append(tags, canonical.Quote(tag)...)
		}
		tags = append(tags, ']')
		item := map[string]json.RawMessage{
			"caption": canonical.Quote(m.Caption), "fileName": canonical.Quote(m.FileName), "hash": canonical.Quote(m.Hash), "tags": tags,
		}
		if m.Alt != "" {
			item["alt"] = canonical.Quote(m.Alt)
		}
		if m.FocalPoint != nil {
			item["focalPoint"] = m.FocalPoint.JSON()
		}
		sealed[strconv.FormatInt(m.ID, 10)] = json.RawMessage(NewDocument(item))
	}
	return NewDocument(sealed)
}

// Unseal returns the items of sealed media by id. It leaves out members that Seal does not
// write.
func Unseal(sealed Document) map[int64]SealedItem {
	items := map[int64]SealedItem{}
	sealed.Each(func(name, value []byte) {
		var item SealedItem
		id, err := strconv.ParseInt(string(name), 10, 64)
		if err == nil && json.Unmarshal(value, &item) == nil {
			items[id] = item
		}
	})
	return items
}

// Seal returns the sealed media of a version of an entry of c, with the words of the items in
// library. It ignores items that the version does not show.
func (c *Collection) Seal(doc Document, library []MediaItem) Document {
	if len(library) == 0 {
		return nil
	}
	shown := c.References(doc)
	return Seal(slices.DeleteFunc(slices.Clone(library), func(m MediaItem) bool { return !shown.Shows(&m) }))
}

// OnlyShown returns the members of sealed that doc, a version of an entry of c, shows in fields that
// readers see, or nil when there are none. Addresses of files do not say which items they show:
// with one of them, it returns all of sealed.
func (c *Collection) OnlyShown(sealed, doc Document) Document {
	shown := c.References(doc)
	if len(shown.Files) > 0 {
		return sealed
	}
	return onlyMedia(sealed, shown.Media)
}

// onlyMedia returns the sealed media of the items with those ids, or nil when there are none.
func onlyMedia(sealed Document, ids []int64) Document {
	only := map[string]json.RawMessage{}
	for _, id := range ids {
		name := strconv.FormatInt(id, 10)
		if item := sealed.Value(name); item != nil {
			only[name] = item
		}
	}
	if len(only) == 0 {
		return nil
	}
	return NewDocument(only)
}

// MediaMember is the member name of the sealed media among the fields of a version that Patch
// compares. No field has this name.
const MediaMember = "@media"

// WithMedia returns fields, a JSON object, with the sealed media added as MediaMember in canonical
// order. Without media it returns fields.
func WithMedia(fields []byte, media Document) []byte {
	if media == nil {
		return fields
	}
	both := append([]byte(`{"`+MediaMember+`":`), media...)
	if string(fields) != "{}" {
		both = append(both, ',')
	}
	return append(both, fields[1:]...)
}

// Patch returns the JSON Patch (RFC 6902) from one JSON text to another; [] when they are equal.
func Patch(from, to []byte) (json.RawMessage, error) {
	operations, err := jsondiff.CompareJSON(from, to)
	if err != nil || len(operations) == 0 {
		return json.RawMessage("[]"), err
	}
	return json.Marshal(operations)
}

// sameWords reports whether the items that doc names by their ids are the same in two sealed media.
// Where an address names a file, readers see no words.
func (c *Collection) sameWords(doc, a, b Document) bool {
	return string(a) == string(b) || !slices.ContainsFunc(c.MediaIDs(doc), func(id int64) bool {
		name := strconv.FormatInt(id, 10)
		return !bytes.Equal(a.Value(name), b.Value(name))
	})
}

// MediaIDs returns the ids of the media items that the documents of an entry of c name, each
// once, in ascending order. Fields that no reader sees are left out.
func (c *Collection) MediaIDs(docs ...Document) []int64 { return c.References(docs...).Media }
