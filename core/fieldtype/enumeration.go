package fieldtype

import (
	"encoding/json"
	"slices"
	"strings"

	"imprimatur/core/canonical"
)

var _ = register(Type{
	Name: "enumeration", Kind: Text, Form: "a string: one of the field's choices", Control: "choice", Example: `"news"`,
	Check: checkString(shortText), Meets: choiceMeets, Operand: textOperand, Decode: decodeText, MaxBytes: MaxText, Unique: true,
})

func choiceMeets(o Options, value json.RawMessage) Fault {
	if text, _ := canonical.Unquote(value); !slices.Contains(o.Choices, text) {
		return Fault{Message: "must be one of: " + strings.Join(o.Choices, ", ")}
	}
	return Fault{}
}
