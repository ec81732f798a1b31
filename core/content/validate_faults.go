package content

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

// maxShownValue is how many bytes of a value a fault repeats.
const maxShownValue = 200

// hasFault reports whether found has a fault of the field or of one of its values.
func hasFault(found *core.Faults, field string) bool {
	at := fieldLocation(field)
	return slices.ContainsFunc(found.List, func(e core.FieldError) bool {
		rest, ok := strings.CutPrefix(e.Location, at)
		return ok && (rest == "" || rest[0] == '[')
	})
}

func fieldLocation(name string) string { return "fields." + name }

func elementLocation(name string, i int) string {
	return fieldLocation(name) + "[" + strconv.Itoa(i) + "]"
}

// shown returns raw for a fault to repeat. It returns nil for a secret, for a value longer
// than maxShownValue, and for a number that does not fit a double: a client could not
// decode it.
func shown(f *core.Field, raw json.RawMessage) any {
	var decoded any
	if f.Secret() || len(raw) > maxShownValue || json.Unmarshal(raw, &decoded) != nil {
		return nil
	}
	return raw
}
