package fieldtype

import (
	"regexp"
	"strings"
)

var colorForm = regexp.MustCompile(`\A#([0-9a-f]{6}|[0-9a-f]{8})\z`)

var _ = register(Type{
	Name: "color", Kind: Text, Form: "a string: #rrggbb or #rrggbbaa, stored in lower case", Control: "color", Example: `"#1d3557"`,
	Check: checkString(readColor), Operand: colorOperand, Decode: decodeText, Unique: true,
})

func readColor(text string) (color, fault string) {
	color = strings.ToLower(text)
	if !colorForm.MatchString(color) {
		fault = "must be a color: #rrggbb or #rrggbbaa"
	}
	return color, fault
}

func colorOperand(item any) (Value, string) {
	value, fault := textOperand(item)
	value.Text = strings.ToLower(value.Text)
	return value, fault
}
