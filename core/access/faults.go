package access

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"imprimatur/core"
)

// maxName is how many code points a name may have.
const maxName = 200

// faults collects what is wrong with an input, so that all of it is said at once.
type faults []core.FieldError

// add notes a fault at one place of the input; a nil value is not shown.
func (f *faults) add(location string, value any, format string, args ...any) {
	*f = append(*f, core.FieldError{Location: location, Message: fmt.Sprintf(format, args...), Value: value})
}

// err returns the faults as one error, or nil when there are none.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return core.Invalid(f...)
}

// name checks the member "name", which people read: one line that is not blank.
func (f *faults) name(text string) {
	switch {
	case strings.TrimSpace(text) == "":
		f.add("name", nil, "must not be empty")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		f.add("name", nil, "must be text without control characters")
	case utf8.RuneCountInString(text) > maxName:
		f.add("name", nil, "must have at most %d characters", maxName)
	}
}

// clash words a store's conflict for the caller; any other err stays as it is.
func clash(err error, code, message string) error {
	if errors.Is(err, core.ErrConflict) {
		return &core.Error{Kind: core.KindConflict, Code: code, Message: message, Err: err}
	}
	return err
}
