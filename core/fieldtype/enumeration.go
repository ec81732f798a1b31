package fieldtype

import (
	"encoding/json"
	"slices"
	"strings"

	"imprimatur/core/canonical"
)

var _ = register(Type{
	Name: "enumeration", Kind: Text, Form: "a string: one of the field's choices", Control: "choice", Example: `"news"`,
	Check: checkChoice, Operand: textOperand, Decode: decodeText, Unique: true,
})

func checkChoice(o Options, raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	if fault == "" && !slices.Contains(o.Choices, text) {
		fault = "must be one of: " + strings.Join(o.Choices, ", ")
	}
	return canonical.Quote(text), fault
}
