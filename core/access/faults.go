package access

import (
	"errors"

	"imprimatur/core"
	"imprimatur/core/words"
)

// faults collects the faults of one input and has the checks that several inputs share.
type faults struct{ core.Faults }

// name checks the member "name": one line of text, not blank, at most words.MaxName code points.
func (f *faults) name(text string) {
	if fault := words.NameFault(text); fault != "" {
		f.Add("name", nil, fault)
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
