package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core/reading"
)

// ChangePage documents a page of changes of the published content, which package rest writes.
type ChangePage struct {
	Data []PublicChange `json:"data" nullable:"false"`
	Meta ChangeMeta     `json:"meta"`
}

// PublicChange is one change of the published content. Members that do not apply are left out.
type PublicChange struct {
	Op          reading.ChangeOp   `json:"op" enum:"put,delete,media,mediaDeleted,reset" example:"put"`
	ID          int64              `json:"id,omitempty" doc:"Of the entry, or of the deleted media item." example:"42"`
	Group       int64              `json:"group,omitempty" doc:"The translation group of the entry." example:"40"`
	Collection  string             `json:"collection,omitempty" doc:"The slug. A reset without it concerns everything." example:"articles"`
	Locale      string             `json:"locale,omitempty" example:"en"`
	ContentHash string             `json:"contentHash,omitempty" doc:"Of the published version." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	PublishedAt string             `json:"publishedAt,omitempty" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Entry       Encoded[Entry]     `json:"entry,omitempty"`
	Media       Encoded[MediaItem] `json:"media,omitempty"`
	Tags        []string           `json:"tags,omitempty" doc:"The tags of the cached responses that the change outdates, if the installation has cache tags." example:"[\"kq3Zb8v1Yxw\"]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (PublicChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"op": "put adds or replaces the entry, delete removes it, media adds or replaces the item of the library, mediaDeleted removes it, " +
			"reset means that a definition has changed what readers see.",
		"entry": "The entry as a single read returns it, save for what depends on others: a relation is `{\"group\",\"collection\"}` whatever the state of its target " +
			"(also when it is deleted), a link to an entry in rich text has the group as `data-entry` and no `data-slug`, " +
			"and media are `{\"id\"}`, without an address in rich text, unless the entry is sealed with them.",
	})
}

// ChangeMeta describes a ChangePage.
type ChangeMeta struct {
	Next    string `json:"next" doc:"The cursor of the next page, for the parameter since." example:"AVd2J1l9aHfhkKoG"`
	HasMore bool   `json:"hasMore" doc:"Whether to request the next page at once." example:"false"`
}

// Events documents a stream of server-sent events.
type Events struct{}

// Schema implements huma.SchemaProvider.
func (Events) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
