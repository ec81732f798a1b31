package fieldtype

import (
	"encoding/json"
	"regexp"
	"strings"

	"imprimatur/core/canonical"
)

var colorForm = regexp.MustCompile(`\A#([0-9a-f]{6}|[0-9a-f]{8})\z`)

var _ = register(Type{
	Name: "color", Kind: Text, Form: "a string: #rrggbb or #rrggbbaa, stored in lower case", Control: "color", Example: `"#1d3557"`,
	Check: checkColor, Operand: colorOperand, Decode: decodeText, Unique: true,
})

func checkColor(raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	text = strings.ToLower(text)
	if fault == "" && !colorForm.MatchString(text) {
		fault = "must be a color: #rrggbb or #rrggbbaa"
	}
	return canonical.Quote(text), fault
}

func colorOperand(item any) (Value, string) {
	value, fault := textOperand(item)
	value.Text = strings.ToLower(value.Text)
	return value, fault
}
