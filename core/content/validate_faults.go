package content

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

const (
	maxFaults     = 100 // told at once
	maxShownValue = 200 // bytes of a value that a fault repeats
)

// faults collects everything that is wrong with one input.
type faults struct{ list []core.FieldError }

func (f *faults) add(location string, value any, message string) {
	if len(f.list) < maxFaults {
		f.list = append(f.list, core.FieldError{Location: location, Message: message, Value: value})
	}
}

func (f *faults) clone() faults { return faults{list: slices.Clone(f.list)} }

// has reports whether there is a fault of the field, or of one of its values.
func (f *faults) has(name string) bool {
	at := fieldLocation(name)
	return slices.ContainsFunc(f.list, func(e core.FieldError) bool {
		rest, ok := strings.CutPrefix(e.Location, at)
		return ok && (rest == "" || rest[0] == '[')
	})
}

// err returns the faults as one error, nil when there are none.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return core.Invalid(f.list...)
}

func fieldLocation(name string) string { return "fields." + name }

func elementLocation(name string, i int) string {
	return fieldLocation(name) + "[" + strconv.Itoa(i) + "]"
}

// shown returns raw for a fault to repeat, unless it is long, a secret, or has a
// number so large that who reads the fault could not decode it.
func shown(f *core.Field, raw json.RawMessage) any {
	var decoded any
	if f.Secret() || len(raw) > maxShownValue || json.Unmarshal(raw, &decoded) != nil {
		return nil
	}
	return raw
}

// clip shortens a name that the caller made up.
func clip(name string) string {
	if len(name) <= maxShownValue {
		return name
	}
	return strings.ToValidUTF8(name[:maxShownValue], "") + "…"
}
