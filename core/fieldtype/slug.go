package fieldtype

import "regexp"

var slugForm = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)

var _ = register(Type{
	Name: "slug", Kind: Text, Form: "a string of a-z and 0-9 in words joined by hyphens", Control: "slug", Example: `"second-week"`,
	Check: checkString(bounded(readSlug)), Meets: textMeets, Operand: textOperand, Decode: decodeText, MaxBytes: MaxText, Unique: true, Length: true,
})

func readSlug(text string) (slug, fault string) {
	if !slugForm.MatchString(text) {
		fault = "must be words of a-z and 0-9 joined by single hyphens"
	}
	return text, fault
}
