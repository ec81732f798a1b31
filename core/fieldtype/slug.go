package fieldtype

import "regexp"

var slugForm = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)

var _ = register(Type{
	Name: "slug", Kind: Text, Form: "a string of a-z and 0-9 in words joined by hyphens", Control: "slug", Example: `"second-week"`,
	Check:   checkForm(func() *regexp.Regexp { return slugForm }, 0, "must be words of a-z and 0-9 joined by single hyphens"),
	Meets:   textMeets,
	Operand: textOperand, Decode: decodeText, Unique: true, Length: true,
})
