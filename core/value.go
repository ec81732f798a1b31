package core

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/words"
)

// Value is one comparable value.
type Value = fieldtype.Value

// SearchedText returns the text of a text field's value that the operator "like" searches:
// in its caseless form, and without the markup of rich text.
func (f *Field) SearchedText(value Value) string {
	if t := fieldtype.Of(f.Type); t != nil && t.Searched != nil {
		return words.Caseless(t.Searched(value.Text))
	}
	return words.Caseless(value.Text)
}

// wordedText returns the text of a text field's value whose words searches find: without the markup of
// rich text, and with the alternative texts of its pictures.
func (f *Field) wordedText(value Value) string {
	if t := fieldtype.Of(f.Type); t != nil && t.Worded != nil {
		return t.Worded(value.Text)
	}
	return value.Text
}

// ValidText reports whether text is valid UTF-8 without U+0000. Every supported database can
// store such text.
func ValidText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// CompareValues compares two values of one kind: texts by words.Compare, others as numbers.
func CompareValues(kind fieldtype.Kind, a, b Value) int {
	if kind == fieldtype.Text {
		return words.Compare(a.Text, b.Text)
	}
	return cmp.Compare(a.Num, b.Num)
}

// FormatTime returns t in the format of every response: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return string(AppendTime(nil, t)) }

// TimeText returns FormatTime(t), or "" for the zero time.
func TimeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return FormatTime(t)
}

// AppendTime appends FormatTime(t) to b.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	// The standard library has a fast path for this layout, not for one with milliseconds.
	b = t.AppendFormat(b, time.RFC3339)
	ms := t.Nanosecond() / 1e6
	b[len(b)-1] = '.'
	return append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// TimeInRange reports whether FormatTime can write t: its year in UTC is from 1 to 9999, the
// years of RFC 3339 without the year 0. A time with an offset can be in another year in UTC.
func TimeInRange(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1 && year <= 9999
}

// DecodeValue returns the comparable value of canonical JSON: the value of a field of type t,
// or one element of a multiple field. It returns false for null and for opaque types.
func DecodeValue(t FieldType, raw []byte) (Value, bool) {
	described := fieldtype.Of(t)
	if described == nil || described.Decode == nil || len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return Value{}, false
	}
	return described.Decode(raw)
}

// ReferenceIDs returns the ids in the stored value of a relation or media field.
func ReferenceIDs(raw json.RawMessage) []int64 {
	var ids []int64
	canonical.Elements(raw, func(element []byte) {
		id, _ := strconv.ParseInt(string(element), 10, 64) // a stored reference is digits
		ids = append(ids, id)
	})
	return ids
}

// FormatID returns the JSON of an id.
func FormatID(id int64) json.RawMessage { return strconv.AppendInt(nil, id, 10) }

// ReferenceValue returns the value of the relation or media field f that names ids.
func ReferenceValue(f *Field, ids []int64) json.RawMessage {
	switch {
	case !f.Multiple && len(ids) == 0:
		return json.RawMessage("null")
	case !f.Multiple:
		return FormatID(ids[0])
	}
	list := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return append(list, ']')
}
