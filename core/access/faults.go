package access

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/words"
)

// maxName is the maximum length of a name in code points.
const maxName = 200

// faults collects the faults of one input and has the checks that several inputs share.
type faults struct{ core.Faults }

// name checks the member "name": one line of text, not blank, at most maxName code points.
func (f *faults) name(text string) {
	switch {
	case words.Blank(text):
		f.Add("name", nil, "must not be empty")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		f.Add("name", nil, "must be text without control characters")
	case utf8.RuneCountInString(text) > maxName:
		f.Addf("name", nil, "must have at most %d characters", maxName)
	}
}

// checkName returns core.ErrInvalid for an invalid name.
func checkName(name string) error {
	var wrong faults
	wrong.name(name)
	return wrong.Err()
}

// conflictAs returns a conflict with that code and message when err is a store's conflict,
// and err itself otherwise.
func conflictAs(err error, code, message string) error {
	if errors.Is(err, core.ErrConflict) {
		return &core.Error{Kind: core.KindConflict, Code: code, Message: message, Err: err}
	}
	return err
}
