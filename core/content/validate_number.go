package content

import (
	"encoding/json"
	"math"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
)

func checkNumber(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	n, message := decodeNumber(raw)
	switch {
	case message != "" || f.Multiple:
	case f.Min != nil && n < *f.Min:
		message = "must be at least " + formatNumber(*f.Min)
	case f.Max != nil && n > *f.Max:
		message = "must be at most " + formatNumber(*f.Max)
	}
	return json.RawMessage(formatNumber(n)), message
}

func checkBoolean(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	if text := string(raw); text != "true" && text != "false" {
		return nil, "must be true or false"
	}
	return raw, ""
}

// checkID checks the form of a reference; whether it leads anywhere is for those
// who can look.
func checkID(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	n, message := decodeNumber(raw)
	if message != "" || n < 1 || n != math.Trunc(n) {
		return nil, "must be an id"
	}
	return json.RawMessage(formatNumber(n)), ""
}

func decodeNumber(raw json.RawMessage) (n float64, message string) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, "must be a number"
	}
	n, exact := core.ExactNumber(string(raw))
	if !exact {
		return 0, "is too large to be kept exactly"
	}
	return n, ""
}

// formatNumber writes a finite number as RFC 8785 has it.
func formatNumber(n float64) string {
	text, err := jcs.NumberToJSON(n)
	if err != nil {
		panic("content: not a finite number: " + err.Error())
	}
	return text
}
