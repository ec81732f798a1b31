package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// Hash returns the hex SHA-256 of b.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// HashOf returns the Hash of the canonical form of value. It panics as Of does.
func HashOf(value any) string { return Hash(Of(value)) }

// Of returns the canonical form of value. It panics if encoding/json cannot encode value.
func Of(value any) []byte {
	raw, err := json.Marshal(value)
	if err == nil {
		raw, err = Transform(raw)
	}
	if err != nil {
		panic("canonical: the value is no JSON: " + err.Error())
	}
	return raw
}

// Elements calls visit with each element of a canonical JSON array. For any other value it calls
// visit once, with the value.
func Elements(value []byte, visit func(element []byte)) {
	if len(value) == 0 {
		return
	}
	if value[0] != '[' {
		visit(value)
		return
	}
	for i := 1; i < len(value)-1; {
		end := ValueEnd(value, i)
		visit(value[i:end])
		i = end + 1
	}
}

// Quote returns text as a canonical JSON string. Each byte that is not valid UTF-8
// becomes U+FFFD.
func Quote(text string) json.RawMessage { return AppendQuote(make([]byte, 0, len(text)+2), text) }

// AppendQuote appends the result of Quote to raw.
func AppendQuote(raw []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	raw = append(raw, '"')
	from := 0 // the start of the text that is not appended yet
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		raw = append(raw, text[from:i]...)
		from = i + 1
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			raw = append(raw, '\\', `"\bfnrt`[short])
		} else {
			raw = fmt.Appendf(raw, `\u%04x`, c)
		}
	}
	return append(append(raw, text[from:]...), '"')
}

// Unquote returns the text of raw, which must be valid JSON. ok is false when raw is
// not a string, or not valid Unicode.
func Unquote(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if text, ok := unescaped(raw); ok {
		return text, true
	}
	// encoding/json replaces an unpaired surrogate, or bytes that are not UTF-8, by U+FFFD.
	if bytes.Contains(raw, []byte(`\u`)) || !utf8.Valid(raw) {
		if _, err := jcs.Transform(raw); err != nil {
			return "", false
		}
	}
	if json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// unescaped returns the text of a JSON string without escapes. Most strings have none.
func unescaped(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[len(raw)-1] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return string(inner), utf8.Valid(inner)
}

// StringEnd returns the index after the string literal that starts at i: the first
// quote with an even number of backslashes before it.
func StringEnd(b []byte, i int) int {
	for i++; ; i++ {
		length := bytes.IndexByte(b[i:], '"')
		if length < 0 {
			return len(b)
		}
		i += length
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// ValueEnd returns the index after the JSON value that starts at i.
func ValueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = StringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// Text returns the string of a canonical JSON string. ok is false for any other value. Unlike
// Unquote it does not check that the text is valid Unicode.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}
