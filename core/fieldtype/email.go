package fieldtype

import (
	"regexp"
	"sync"
)

// maxEmail is the maximum length of an address in characters (RFC 5321, 4.5.3.1.3).
const maxEmail = 254

// emailForm is the form that HTML's <input type=email> accepts. It is compiled on first use,
// because compilation would take a large part of the start-up time.
var emailForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A[a-zA-Z0-9.!#$%&'*+/=?^_` + "`" + `{|}~-]+@` +
		`[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z`)
})

var _ = register(Type{
	Name: "email", Kind: Text, Form: "a string: an e-mail address", Control: "email", Example: `"editor@meridian.example"`,
	Check: checkString(bounded(readEmail)), Meets: textMeets, Operand: textOperand, Decode: decodeText, MaxBytes: MaxText, Unique: true, Length: true,
})

func readEmail(text string) (address, fault string) {
	if len(text) > maxEmail || !emailForm().MatchString(text) {
		fault = "must be an e-mail address"
	}
	return text, fault
}
