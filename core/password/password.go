// Package password has the rules for the passwords of people. The main function is Check.
package password

import (
	"unicode/utf8"

	"imprimatur/core"
)

const (
	minLength = 10   // code points
	maxLength = 1024 // bytes
)

// Check adds the faults of a new password at location. They do not contain the password.
func Check(faults *core.Faults, location, password string) {
	switch {
	case utf8.RuneCountInString(password) < minLength:
		faults.Addf(location, nil, "must have at least %d characters", minLength)
	case len(password) > maxLength:
		faults.Addf(location, nil, "must have at most %d bytes", maxLength)
	case !core.ValidText(password):
		faults.Add(location, nil, "must be text")
	case isCommon(password):
		faults.Add(location, nil, "is a common password; choose another one")
	}
}
