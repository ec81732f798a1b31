package fieldtype

import (
	"math"
	"regexp"
	"time"

	"imprimatur/core/canonical"
)

const milliseconds = "15:04:05.000" // of a time of day

var _ = register(
	timeType(Type{Name: "date", Form: "a string: 2006-01-02", Control: "date", Example: `"2026-01-02"`},
		parseDate, func(at time.Time) string { return at.Format(time.DateOnly) },
		"must be a date: 2006-01-02", "takes a date such as 2006-01-02"),
	timeType(Type{Name: "time", Form: "a string: 15:04:05, or 15:04:05.000", Control: "time", Example: `"15:04:05"`},
		parseTimeOfDay, formatTimeOfDay,
		"must be a time: 15:04:05, or 15:04:05.000", "takes a time such as 15:04:05"),
	timeType(Type{Name: "datetime", Form: "a string: 2006-01-02T15:04:05.000Z", Control: "datetime", Example: `"2026-01-02T15:04:05.000Z"`},
		parseDateTime, formatDateTime,
		"must be a date and time with its offset: 2006-01-02T15:04:05Z", "takes a date and time such as 2006-01-02T15:04:05Z"),
)

// timeType completes t. parse returns a text in milliseconds, plus 0.5 for a time between two
// milliseconds: a write rounds down, and a filter compares exactly. format returns the stored
// form. fault describes an invalid written value, and operandFault an invalid operand.
func timeType(t Type, parse func(string) (ms float64, ok bool), format func(time.Time) string, fault, operandFault string) Type {
	t.Kind, t.Unique = Time, true
	t.Check = checkString(func(text string) (stored, wrong string) {
		ms, ok := parse(text)
		if !ok {
			return "", fault
		}
		return format(time.UnixMilli(int64(math.Floor(ms))).UTC()), ""
	})
	t.Operand = func(item any) (Value, string) {
		text, _ := item.(string)
		ms, ok := parse(text)
		if !ok {
			return Value{}, operandFault
		}
		return Value{Num: ms}, ""
	}
	t.Decode = func(raw []byte) (Value, bool) {
		text, ok := canonical.Text(raw)
		if !ok {
			return Value{}, false
		}
		ms, ok := parse(text)
		return Value{Num: ms}, ok
	}
	return t
}

// parseDate returns milliseconds since 1970-01-01. It accepts the years 1 to 9999.
func parseDate(text string) (float64, bool) {
	d, err := time.Parse(time.DateOnly, text)
	return float64(d.UnixMilli()), err == nil && d.Year() >= 1
}

// parseTimeOfDay returns milliseconds since midnight.
func parseTimeOfDay(text string) (float64, bool) {
	for _, layout := range []string{milliseconds, time.TimeOnly, "15:04"} {
		if c, err := time.Parse(layout, text); err == nil && len(text) == len(layout) {
			return float64(c.Hour()*3600000 + c.Minute()*60000 + c.Second()*1000 + c.Nanosecond()/1e6), true
		}
	}
	return 0, false
}

func formatTimeOfDay(at time.Time) string {
	if at.Nanosecond() != 0 {
		return at.Format(milliseconds)
	}
	return at.Format(time.TimeOnly)
}

var dateTimeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseDateTime returns milliseconds since 1970-01-01 UTC. It accepts the years 1 to 9999, also in
// UTC.
func parseDateTime(text string) (float64, bool) {
	d, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !dateTimeForm.MatchString(text) { // Parse accepts more than RFC 3339 does
		return 0, false
	}
	d = d.UTC()
	ms := float64(d.UnixMilli())
	if d.Nanosecond()%1e6 != 0 {
		ms += 0.5
	}
	return ms, d.Year() >= 1 && d.Year() <= 9999
}

func formatDateTime(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z") }
