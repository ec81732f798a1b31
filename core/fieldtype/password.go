package fieldtype

// maxPassword is the maximum length of a password in bytes, so that hashing stays cheap.
const maxPassword = 1024

var _ = register(Type{
	Name: "password", Kind: Opaque, Form: "a string; stored hashed, never returned", Control: "password", Example: `"correct horse"`,
	Check: checkString(readPassword), Meets: textMeets, Length: true, Secret: true, SingleOnly: true,
})

func readPassword(text string) (password, fault string) {
	switch {
	case text == "":
		fault = "must not be empty"
	case len(text) > maxPassword:
		fault = "is too long"
	}
	return text, fault
}
