package content

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

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

// shown returns a value of f as the value of a fault, and nil for a secret.
func shown(f *core.Field, raw json.RawMessage) any {
	if f.Secret() {
		return nil
	}
	return core.Shown(raw)
}
