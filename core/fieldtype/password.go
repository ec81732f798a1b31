package fieldtype

import (
	"encoding/json"

	"imprimatur/core/canonical"
)

// maxPassword is how many bytes a password has at most, so that hashing stays cheap.
const maxPassword = 1024

var _ = register(Type{
	Name: "password", Kind: Opaque, Form: "a string; stored hashed, never returned", Control: "password", Example: `"correct horse"`,
	Check: checkPassword, Meets: textMeets, Length: true, Secret: true, SingleOnly: true,
})

func checkPassword(raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	switch {
	case fault != "":
		return nil, fault
	case text == "":
		return nil, "must not be empty"
	case len(text) > maxPassword:
		return nil, "is too long"
	}
	return canonical.Quote(text), ""
}
