package content

import (
	"encoding/json"
	"time"

	"imprimatur/core"
)

func checkDate(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	at, message := decodeTime(core.TypeDate, raw, "must be a date: 2006-01-02")
	return core.QuoteJSON(at.Format(time.DateOnly)), message
}

func checkTime(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	at, message := decodeTime(core.TypeTime, raw, "must be a time: 15:04:05, or 15:04:05.000")
	layout := time.TimeOnly
	if at.Nanosecond() != 0 {
		layout = "15:04:05.000"
	}
	return core.QuoteJSON(at.Format(layout)), message
}

func checkDateTime(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	at, message := decodeTime(core.TypeDateTime, raw, "must be a date and time with its offset: 2006-01-02T15:04:05Z")
	return core.QuoteJSON(core.FormatTime(at)), message
}

func decodeTime(t core.FieldType, raw json.RawMessage, complaint string) (at time.Time, message string) {
	text, message := decodeText(raw)
	if message != "" {
		return time.Time{}, message
	}
	ms, ok := core.ParseTime(t, text)
	if !ok {
		return time.Time{}, complaint
	}
	return time.UnixMilli(ms).UTC(), ""
}
