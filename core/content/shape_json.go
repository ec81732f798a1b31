package content

import (
	"strconv"
	"time"
	"unicode/utf8"

	"imprimatur/core"
)

// appendTime appends t as core.FormatTime writes it, in quotes; null when zero.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return append(core.AppendTime(append(b, '"'), t), '"')
}

// appendString appends text as a canonical JSON string: only what must be escaped is.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			b = appendASCII(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		b = utf8.AppendRune(b, r) // U+FFFD for what is not UTF-8
		i += size
	}
	return append(b, '"')
}

func appendASCII(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\t':
		return append(b, '\\', 't')
	case '\n':
		return append(b, '\\', 'n')
	case '\f':
		return append(b, '\\', 'f')
	case '\r':
		return append(b, '\\', 'r')
	}
	if c < ' ' {
		const hex = "0123456789abcdef"
		return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(b, c)
}

// appendText appends text, or null when it is empty.
func appendText(b []byte, text string) []byte {
	if text == "" {
		return append(b, "null"...)
	}
	return appendString(b, text)
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
