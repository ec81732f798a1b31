package content

import (
	"encoding/json"

	"github.com/gowebpki/jcs"
)

// quote returns text as canonical JSON.
func quote(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic("content: a string is always JSON: " + err.Error())
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		panic("content: JSON of a string is always canonical: " + err.Error())
	}
	return canonical
}
