package wire

import (
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/reading"
)

// Revision is one state of a draft.
type Revision struct {
	Number      int64         `json:"number" doc:"From 1 in each entry. Removed revisions leave gaps." example:"3"`
	ContentHash string        `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of the collection, the locale, the fields and the media." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Changed     []string      `json:"changed" nullable:"false" doc:"The names of the fields that the writes of the revision changed." example:"[\"title\",\"summary\"]"`
	Note        *string       `json:"note" example:"Figures checked with the ministry"`
	CreatedAt   string        `json:"createdAt" format:"date-time" doc:"The time of the first write." example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string        `json:"updatedAt" format:"date-time" doc:"The time of the last write." example:"2026-01-02T15:11:40.000Z"`
	By          core.ActorRef `json:"by"`
}

// RevisionOf returns r for a response.
func RevisionOf(r core.RevisionRecord) Revision {
	return Revision{
		Number: r.Number, ContentHash: r.ContentHash, Changed: r.Changed, Note: core.NullIfZero(r.Note),
		CreatedAt: core.FormatTime(r.CreatedAt.Time()), UpdatedAt: core.FormatTime(r.UpdatedAt.Time()), By: r.By,
	}
}

// RevisionContent is a revision with its content.
type RevisionContent struct {
	Revision

	Fields Encoded[EntryFields]       `json:"fields" doc:"The fields of the draft at that time. Relations and media are ids; secret fields are omitted."`
	Media  map[string]core.SealedItem `json:"media,omitempty" doc:"What the revision shows of its media, by id; omitted without media."`
}

// RevisionContentOf returns r for a response.
func RevisionContentOf(r *reading.RevisionView) (RevisionContent, error) {
	shown := RevisionContent{Revision: RevisionOf(r.RevisionRecord), Fields: Encoded[EntryFields](r.Fields)}
	if r.Media == nil {
		return shown, nil
	}
	return shown, json.Unmarshal(r.Media, &shown.Media)
}
