package fieldtype

import (
	"bytes"
	"encoding/json"
	"strings"

	"imprimatur/core/words"

	"github.com/gowebpki/jcs"
)

const (
	// maxJSONDepth is the maximum nesting depth of a value, far below the limits of databases and
	// clients.
	maxJSONDepth = 100
	// maxShownNumber is the maximum number of bytes of a number that a fault quotes.
	maxShownNumber = 200
)

var _ = register(Type{
	Name: "json", Kind: Opaque, Form: "any JSON value", Control: "json", Example: `{"lines":[1,2]}`,
	Check: checkJSON, Blank: words.Blank,
})

func checkJSON(raw json.RawMessage) (json.RawMessage, string) {
	if fault := jsonFault(raw); fault != "" {
		return nil, fault
	}
	value, err := jcs.Transform(raw)
	if err != nil {
		return nil, "must have no member twice and only valid Unicode text"
	}
	return value, ""
}

// jsonFault checks the tokens of raw before jcs rounds their numbers.
func jsonFault(raw json.RawMessage) string {
	tokens := json.NewDecoder(bytes.NewReader(raw))
	tokens.UseNumber()
	for depth := 0; ; {
		token, err := tokens.Token()
		if err != nil {
			return "" // the end: raw is valid JSON
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			if depth > maxJSONDepth {
				return "is nested too deeply"
			}
		case json.Number:
			if _, exact := ExactNumber(token.String()); !exact {
				return "has a number that a 64-bit double does not hold exactly: " + token.String()[:min(len(token), maxShownNumber)]
			}
		case string:
			if strings.Contains(token, "\x00") {
				return "must not contain U+0000"
			}
		}
	}
}
