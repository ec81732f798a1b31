package entryquery

import (
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
)

// zeroTime is the zero time in milliseconds since 1970.
var zeroTime = strconv.FormatInt(time.Time{}.UnixMilli(), 10)

// RowColumns returns the SELECT list for core.Row values in state, read from entries as e. It
// omits values in known and parts in without. serves is the SQL expression of the row's mask.
func RowColumns(serves string, state core.State, known core.Row, without query.RowParts) string {
	var r renderer
	r.rowColumns(serves, state, known, without)
	return string(r.text)
}

func (r *renderer) rowColumns(serves string, state core.State, known core.Row, without query.RowParts) {
	updatedAt, document := "e.updated_at", "e.draft, NULL"
	if state == core.StatePublished {
		updatedAt, document = "e.released_at", "e.published, e.published_media"
	}
	r.write("e.id, coalesce(e.published_at, ", zeroTime, ")")
	if known.CollectionID == 0 {
		r.write(", e.collection_id")
	}
	if known.Locale == "" {
		r.write(", e.locale")
	}
	if without&query.RowDates == 0 {
		r.write(", e.created_at, coalesce(", updatedAt, ", ", zeroTime, ")")
	}
	if without&query.RowGroup == 0 {
		r.write(", e.group_id, ", serves)
	}
	if without&query.RowDocument == 0 {
		r.write(", ", document)
	}
}
