package fieldtype

import "imprimatur/core/address"

var _ = register(Type{
	Name: "email", Kind: Text, Form: "a string: an e-mail address", Control: "email", Example: `"editor@meridian.example"`,
	Check: checkString(bounded(readEmail)), Meets: textMeets, Operand: textOperand, Decode: decodeText, MaxBytes: MaxText, Unique: true, Length: true,
})

func readEmail(text string) (stored, fault string) {
	if !address.Email(text) {
		fault = "must be an e-mail address"
	}
	return text, fault
}
