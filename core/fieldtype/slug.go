package fieldtype

import (
	"encoding/json"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core/canonical"
	"imprimatur/core/slug"
)

var _ = register(Type{
	Name: "slug", Kind: Text, Form: "a string of letters and digits with - and _, and with / if the field has paths; the style of the field says which", Control: "slug", Example: `"second-week"`,
	Check: checkString(bounded(readSlug)), Meets: slugMeets, Operand: slugOperand, Decode: decodeText, MaxBytes: MaxText, Unique: true, Length: true,
})

// readSlug does not check the form, which depends on the field.
func readSlug(text string) (stored, fault string) { return norm.NFC.String(text), "" }

func slugMeets(o Options, value json.RawMessage) Fault {
	if text, _ := canonical.Unquote(value); !slug.Valid(text, o.Style, o.Path) {
		return Fault{Message: "must " + slug.Form(o.Style, o.Path)}
	}
	return textMeets(o, value)
}

func slugOperand(item any) (Value, string) {
	value, fault := textOperand(item)
	value.Text = norm.NFC.String(value.Text)
	return value, fault
}
