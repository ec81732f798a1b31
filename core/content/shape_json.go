package content

import (
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// appendTime appends t as core.FormatTime writes it, in quotes; null when zero.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return append(core.AppendTime(append(b, '"'), t), '"')
}

// appendText appends text, or null when it is empty.
func appendText(b []byte, text string) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return canonical.AppendQuote(b, text)
}

// appendCount appends n, or null when it is 0.
func appendCount(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}

// parseID reads the canonical JSON of an id; 0 when it is none.
func parseID(raw []byte) int64 {
	const most = 16 // digits of 2^53
	if len(raw) > most {
		return 0
	}
	var id int64
	for _, c := range raw {
		if !isDigit(c) {
			return 0
		}
		id = id*10 + int64(c-'0')
	}
	return id
}
