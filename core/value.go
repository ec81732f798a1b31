package core

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// Value is one comparable value. Text holds it for ValueText, Num for every other
// kind: the number itself, 0 or 1 for a boolean, milliseconds for a time, an id
// for a reference.
type Value struct {
	Text string
	Num  float64
}

// MaxSortPrefix is how many bytes of a text an index keeps. Texts that begin alike for longer
// are told apart by their documents.
const MaxSortPrefix = 2000

// SortPrefix returns what an index keeps of text: its first MaxSortPrefix bytes. In place of a
// code point that does not fit whole stands the last one that there is, for it is greater than
// any that fits: prefixes are in the order of their texts, as far as they differ. A prefix is
// shorter than MaxSortPrefix only when it is the whole text.
func SortPrefix(text string) string {
	if len(text) <= MaxSortPrefix {
		return text
	}
	cut := MaxSortPrefix
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	if cut < MaxSortPrefix {
		return text[:cut] + string(utf8.MaxRune)
	}
	return text[:cut]
}

// Fold returns text as "like" compares it: full Unicode case folding.
func Fold(text string) string { return cases.Fold().String(text) }

// CompareValues orders a and b of one kind: by code point, or as numbers.
func CompareValues(kind ValueKind, a, b Value) int {
	if kind == ValueText {
		return strings.Compare(a.Text, b.Text)
	}
	switch {
	case a.Num < b.Num:
		return -1
	case a.Num > b.Num:
		return 1
	}
	return 0
}

// Milliseconds of time fields.
const layoutDate = "2006-01-02"

// FormatTime returns t as every answer shows times: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return string(AppendTime(nil, t)) }

// AppendTime appends what FormatTime returns.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	// The standard library has a fast path for this layout, not for one with milliseconds.
	b = t.AppendFormat(b, time.RFC3339)
	ms := t.Nanosecond() / 1e6
	b[len(b)-1] = '.'
	return append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// DecodeValue returns the comparable value of one canonical JSON value of a field
// of type t (one element, when the field is multiple). It reports false for null
// and for types that do not compare.
func DecodeValue(t FieldType, raw []byte) (Value, bool) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return Value{}, false
	}
	switch t.Kind() {
	case ValueText:
		text, ok := decodeString(raw)
		return Value{Text: text}, ok
	case ValueTime:
		text, ok := decodeString(raw)
		if !ok {
			return Value{}, false
		}
		ms, ok := ParseTime(t, text)
		return Value{Num: float64(ms)}, ok
	case ValueNumber, ValueReference:
		if t == TypeBoolean {
			n := 0.0
			if raw[0] == 't' {
				n = 1
			}
			return Value{Num: n}, true
		}
		n, err := strconv.ParseFloat(string(raw), 64)
		return Value{Num: n}, err == nil
	default:
		return Value{}, false
	}
}

var dateTimeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime reads the stored or queried form of a date, time or datetime field as
// milliseconds: since 1970-01-01 UTC, or since midnight for a time. Dates before
// the year 1 or after 9999 are refused.
func ParseTime(t FieldType, text string) (int64, bool) {
	switch t {
	case TypeDate:
		d, err := time.Parse(layoutDate, text)
		return d.UnixMilli(), err == nil && d.Year() >= 1
	case TypeTime:
		for _, layout := range []string{"15:04:05.000", "15:04:05", "15:04"} {
			if c, err := time.Parse(layout, text); err == nil && len(text) == len(layout) {
				return int64(c.Hour()*3600000 + c.Minute()*60000 + c.Second()*1000 + c.Nanosecond()/1e6), true
			}
		}
		return 0, false
	case TypeDateTime:
		d, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || !dateTimeForm.MatchString(text) { // Parse takes more than RFC 3339 does
			return 0, false
		}
		d = d.UTC()
		return d.UnixMilli(), d.Year() >= 1 && d.Year() <= 9999
	default:
		return 0, false
	}
}

// ExactNumber reports whether the JSON number literal is finite and, when it is a
// whole number, less than 2^53 in size: up to there every whole number has a double
// of its own, while 2^53+1 already becomes 2^53.
func ExactNumber(literal string) (float64, bool) {
	n, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, false
	}
	if n == math.Trunc(n) && math.Abs(n) >= 1<<53 {
		return 0, false
	}
	return n, true
}

func decodeString(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}
