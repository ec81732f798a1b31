// Package password has the rules for the passwords of people. The main function is Check, the main type
// Hasher.
package password

import (
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/words"
)

const (
	minLength = 10   // code points
	maxLength = 1024 // bytes
	// longestForm is how many times as long as its normal form a password can be: four bytes of a
	// mathematical letter become one.
	longestForm = 4
)

// Check adds the faults of a new password at location, in its normal form. They do not contain the password.
func Check(faults *core.Faults, location, password string) {
	normal := Normal(password)
	switch {
	case utf8.RuneCountInString(normal) < minLength:
		faults.Addf(location, nil, "must have at least %d characters", minLength)
	case len(normal) > maxLength:
		faults.Addf(location, nil, "must have at most %d bytes", maxLength)
	case !core.ValidText(normal):
		faults.Add(location, nil, "must be text")
	case words.Blank(normal):
		faults.Add(location, nil, "must not be blank")
	case isCommon(normal):
		faults.Add(location, nil, "is a common password; choose another one")
	}
}
