package content

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
)

// maxJSONDepth is how deep the values of json fields nest: far less than any
// database or client gives up at.
const maxJSONDepth = 100

func checkJSON(_ *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	if message := jsonFault(raw); message != "" {
		return nil, message
	}
	value, err := jcs.Transform(raw)
	if err != nil {
		return nil, "must have no member twice and only valid Unicode text"
	}
	return value, ""
}

// jsonFault looks at every token of raw, as it was written: afterwards, numbers
// would be rounded already.
func jsonFault(raw json.RawMessage) string {
	tokens := json.NewDecoder(bytes.NewReader(raw))
	tokens.UseNumber()
	for depth := 0; ; {
		token, err := tokens.Token()
		if err != nil {
			return "" // the end, for raw is valid JSON
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
			if _, exact := core.ExactNumber(token.String()); !exact {
				return "has a number that is too large to be kept exactly: " + clip(token.String())
			}
		case string:
			if strings.Contains(token, "\x00") {
				return "must not contain U+0000"
			}
		}
	}
}
