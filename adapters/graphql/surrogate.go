package graphql

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// joinSurrogates replaces escaped surrogate pairs in the strings of a query by the
// character that they encode, because the parser decodes each escape separately. A lone
// surrogate is an error. Comments and block strings do not change.
func joinSurrogates(query string) (string, error) {
	if !strings.Contains(query, `\ud`) && !strings.Contains(query, `\uD`) {
		return query, nil
	}
	var out strings.Builder
	for i := 0; i < len(query); {
		end := tokenEnd(query, i)
		token := query[i:end]
		if token[0] != '"' || strings.HasPrefix(token, `"""`) {
			out.WriteString(token)
		} else if err := joinInString(&out, token); err != nil {
			return "", err
		}
		i = end
	}
	return out.String(), nil
}

// tokenEnd returns the end of the string, block string or comment at i. Any other token
// is one byte.
func tokenEnd(query string, i int) int {
	rest := query[i:]
	switch {
	case rest[0] == '#':
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			return i + n
		}
		return len(query)
	case strings.HasPrefix(rest, `"""`):
		for n := 3; n < len(rest); n++ {
			if strings.HasPrefix(rest[n:], `\"""`) {
				n += 3
			} else if strings.HasPrefix(rest[n:], `"""`) {
				return i + n + 3
			}
		}
		return len(query)
	case rest[0] == '"':
		for n := 1; n < len(rest); n++ {
			switch rest[n] {
			case '\\':
				n++
			case '"':
				return i + n + 1
			case '\n', '\r':
				return i + n
			}
		}
		return len(query)
	}
	return i + 1
}

// joinInString writes a string token with joined surrogate pairs.
func joinInString(out *strings.Builder, token string) error {
	for i := 0; i < len(token); i++ {
		if token[i] != '\\' || i+1 == len(token) {
			out.WriteByte(token[i])
			continue
		}
		high, ok := surrogate(token, i+1)
		if !ok {
			out.WriteString(token[i : i+2])
			i++
			continue
		}
		low, ok := surrogate(token, i+7)
		joined := utf16.DecodeRune(high, low)
		if !ok || token[i+6] != '\\' || joined == utf8.RuneError {
			return errLoneSurrogate
		}
		out.WriteRune(joined)
		i += 11
	}
	return nil
}

// surrogate returns the surrogate that "uXXXX" at text[i:] encodes.
func surrogate(text string, i int) (rune, bool) {
	if i+5 > len(text) || text[i] != 'u' || text[i+1]|0x20 != 'd' {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
	return rune(unit), err == nil && utf16.IsSurrogate(rune(unit))
}
