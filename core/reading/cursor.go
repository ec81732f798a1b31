package reading

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// A cursor is the position of the last row of a page in the order of a selection: base64url of
//
//	version, 1 byte; checksum, 8 bytes; id and sort values, see cursorBytes.position
//
// The checksum covers the selection and the position, so that a cursor of another list is an error
// and not a wrong page. It needs no secret: a forged cursor is only a range of fields by which the
// caller may sort and filter anyway. The version changes with the order of lists.
const (
	cursorVersion  = 2
	cursorChecksum = 8
	cursorHeader   = 1 + cursorChecksum
)

// maxCursor is the longest cursor in bytes. It has room for three sort texts of the maximum length.
const maxCursor = 4200

// cursorAfter returns the cursor of the rows after row.
func cursorAfter(sel *query.Selection, row *core.Row) string {
	values := make([]*core.Value, len(sel.Sort)-1)
	for i := range values {
		values[i] = sortValue(sel, sel.Sort[i].Field, row)
	}
	return encodeCursor(sel, &query.Position{Values: values, ID: row.ID})
}

// sortValue returns the value by which f sorts row, or nil.
func sortValue(sel *query.Selection, f *core.Field, row *core.Row) *core.Value {
	switch f {
	case query.RankField:
		return &core.Value{Num: sel.Schema.Collection.Rank(sel.Search, row.Document)}
	case query.MomentField:
		return &core.Value{Num: float64(query.Moment(row.PublishedAt, row.CreatedAt))}
	case core.SystemLocale:
		return &core.Value{Text: row.Locale}
	case core.SystemPublishedAt:
		return timeValue(row.PublishedAt)
	case core.SystemCreatedAt:
		return timeValue(row.CreatedAt)
	case core.SystemUpdatedAt:
		return timeValue(row.UpdatedAt)
	}
	if value, ok := f.Single(row.Document); ok {
		return &value
	}
	return nil
}

func timeValue(t time.Time) *core.Value {
	if t.IsZero() {
		return nil
	}
	return &core.Value{Num: float64(t.UnixMilli())}
}

// sortsByDates reports whether sortValue needs the parts query.RowDates of a row.
func sortsByDates(sort []query.SortKey) bool {
	for _, key := range sort {
		switch key.Field {
		case core.SystemCreatedAt, core.SystemUpdatedAt, query.MomentField:
			return true
		}
	}
	return false
}

func encodeCursor(sel *query.Selection, at *query.Position) string {
	return sealCursor(checkedByCursor(sel), sel.Sort, at)
}

// sealCursor returns the cursor of a position in the order of sort, with a checksum that covers checked.
func sealCursor(checked cursorBytes, sort []query.SortKey, at *query.Position) string {
	b := make(cursorBytes, cursorHeader, 128).position(sort, at)
	sum := sha256.Sum256(append(slices.Clip(checked), b[cursorHeader:]...))
	b[0] = cursorVersion
	copy(b[1:cursorHeader], sum[:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// checkedByCursor returns what the checksum of a cursor covers beside the position. An order by texts
// and a search depend on the tables of Unicode.
func checkedByCursor(sel *query.Selection) cursorBytes {
	checked := make(cursorBytes, 0, 512).number(sel.Schema.Project.ID).rows(sel).order(sel.Sort)
	if sel.Search != nil || slices.ContainsFunc(sel.Sort, func(k query.SortKey) bool { return k.Field.Keyed() }) {
		checked = checked.text(words.Version)
	}
	return checked
}

// positionOf returns the position of a cursor of sel, or nil if the text is not one.
func positionOf(sel *query.Selection, cursor string) *query.Position {
	return openCursor(checkedByCursor(sel), sel.Sort, cursor)
}

// openCursor returns the position of a cursor of sealCursor, or nil if the text is not one with these arguments.
func openCursor(checked cursorBytes, sort []query.SortKey, cursor string) *query.Position {
	if len(cursor) > maxCursor {
		return nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < cursorHeader {
		return nil
	}
	at := readPosition(sort, b[cursorHeader:])
	if at == nil || sealCursor(checked, sort, at) != cursor { // compares the checksum, and refuses other encodings
		return nil
	}
	return at
}

// position appends a position in the order of sort.
func (b cursorBytes) position(sort []query.SortKey, at *query.Position) cursorBytes {
	b = b.number(at.ID)
	for i, value := range at.Values {
		b = b.flag(value != nil)
		switch {
		case value == nil:
		case sort[i].Field.Kind() == fieldtype.Text:
			b = b.text(value.Text)
		default:
			b = b.float(value.Num)
		}
	}
	return b
}

// readPosition reads the start of b as a position in the order of sort. It returns nil if b is too
// short, or has a value that no database stores.
func readPosition(sort []query.SortKey, b []byte) *query.Position {
	id, n := binary.Varint(b)
	if n <= 0 {
		return nil
	}
	b = b[n:]
	at := &query.Position{Values: make([]*core.Value, len(sort)-1), ID: id}
	for i := range at.Values {
		if len(b) == 0 {
			return nil
		}
		present := b[0] != 0
		if b = b[1:]; !present {
			continue
		}
		value, n := readValue(sort[i].Field.Kind(), b)
		if n == 0 {
			return nil
		}
		at.Values[i], b = &value, b[n:]
	}
	return at
}

// readValue reads the start of b as a value. It returns the length of the value in bytes, or 0.
func readValue(kind fieldtype.Kind, b []byte) (value core.Value, length int) {
	if kind == fieldtype.Text {
		size, n := binary.Varint(b)
		if n <= 0 || size < 0 || size > int64(len(b)-n) {
			return value, 0
		}
		length = n + int(size)
		value.Text = string(b[n:length])
		if !core.ValidText(value.Text) {
			return value, 0
		}
		return value, length
	}
	if len(b) < 8 {
		return value, 0
	}
	value.Num = math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(value.Num) || math.IsInf(value.Num, 0) {
		return value, 0
	}
	return value, 8
}
