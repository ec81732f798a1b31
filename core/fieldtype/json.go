package fieldtype

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/gowebpki/jcs"
)

const (
	// maxJSONDepth is how deep a value nests at most: far less than any database or client
	// refuses.
	maxJSONDepth = 100
	// maxShownNumber is how many bytes of a number a fault repeats.
	maxShownNumber = 200
)

var _ = register(Type{
	Name: "json", Kind: Opaque, Form: "any JSON value", Control: "json", Example: `{"lines":[1,2]}`,
	Check: checkJSON,
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

// jsonFault looks at every token of raw as it was written, before jcs rounds numbers.
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
				return "has a number that is too large to be kept exactly: " + token.String()[:min(len(token), maxShownNumber)]
			}
		case string:
			if strings.Contains(token, "\x00") {
				return "must not contain U+0000"
			}
		}
	}
}
