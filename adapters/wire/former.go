package wire

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core/query"
)

// FormerEntry is the entry that has, or had, a slug.
type FormerEntry struct {
	ID     int64  `json:"id" example:"42"`
	Locale string `json:"locale" example:"en"`
	Slug   string `json:"slug" doc:"The present slug of the published entry." example:"harbour-reopens"`
}

// FormerEntryOf returns s for a response.
func FormerEntryOf(s query.FormerSlug) FormerEntry {
	return FormerEntry{s.EntryID, s.Locale, s.Present}
}

// FormerSlug is a slug that a published entry had.
type FormerSlug struct {
	Former string `json:"former" doc:"A slug that no published entry of the collection and locale has now." example:"harbour-closes"`
	ID     int64  `json:"id" doc:"The latest entry that had it." example:"42"`
	Locale string `json:"locale" example:"en"`
	Slug   string `json:"slug" doc:"The present slug of the published entry." example:"harbour-reopens"`
}

// FormerSlugOf returns s for a response.
func FormerSlugOf(s query.FormerSlug) FormerSlug {
	return FormerSlug{s.Slug, s.EntryID, s.Locale, s.Present}
}

// Former documents the response about former slugs.
type Former struct{}

// Schema implements huma.SchemaProvider.
func (Former) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[FormerEntry](), true, ""), r.Schema(reflect.TypeFor[CursorPage[FormerSlug]](), true, ""),
	}}
}
