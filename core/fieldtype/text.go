package fieldtype

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"imprimatur/core/canonical"
)

// MaxOperand is how many bytes a value of a filter has at most.
const MaxOperand = 4096

var _ = register(
	Type{
		Name: "text", Kind: Text, Form: "a string", Control: "line", Example: `"Second week"`,
		Check: checkText, Meets: textMeets, Operand: textOperand, Decode: decodeText, Unique: true, Length: true,
	},
	Type{
		Name: "longtext", Kind: Text, Form: "a string", Control: "lines", Example: `"Second week."`,
		Check: checkText, Meets: textMeets, Operand: textOperand, Decode: decodeText, Length: true, LongText: true,
	},
)

func checkText(raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	return canonical.Quote(text), fault
}

func textOperand(item any) (Value, string) {
	text, ok := item.(string)
	switch {
	case !ok:
		return Value{}, "takes a string"
	case len(text) > MaxOperand:
		return Value{}, "takes a string of at most 4096 bytes"
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return Value{}, "takes a string of valid UTF-8 without U+0000"
	}
	return Value{Text: text}, ""
}

func decodeText(raw []byte) (Value, bool) {
	text, ok := canonical.Text(raw)
	return Value{Text: text}, ok
}

// readString returns the string that raw, valid JSON, stands for.
func readString(raw json.RawMessage) (text, fault string) {
	if raw[0] != '"' {
		return "", "must be a string"
	}
	text, ok := canonical.Unquote(raw)
	if !ok {
		return "", "is not valid Unicode text"
	}
	if strings.Contains(text, "\x00") {
		return "", "must not contain U+0000"
	}
	return text, ""
}

// checkForm returns a check of texts that match form and have at most limit bytes, when
// limit is not 0; otherwise complaint is what is wrong.
func checkForm(form func() *regexp.Regexp, limit int, complaint string) func(json.RawMessage) (json.RawMessage, string) {
	return func(raw json.RawMessage) (json.RawMessage, string) {
		text, fault := readString(raw)
		if fault == "" && (limit > 0 && len(text) > limit || !form().MatchString(text)) {
			fault = complaint
		}
		return canonical.Quote(text), fault
	}
}

// textMeets checks the length and the pattern of a text. Min and Max of a multiple field count
// its values and do not bound lengths.
func textMeets(o Options, value json.RawMessage) Fault {
	if o.Min == nil && o.Max == nil && o.Pattern == "" {
		return Fault{}
	}
	text, _ := canonical.Unquote(value)
	length := float64(utf8.RuneCountInString(text))
	switch {
	case o.Max != nil && !o.Multiple && length > *o.Max:
		return Fault{Message: "must have at most " + FormatNumber(*o.Max) + " characters"}
	case o.Min != nil && !o.Multiple && length < *o.Min:
		return Fault{"must have at least " + FormatNumber(*o.Min) + " characters", true}
	case o.Pattern == "":
		return Fault{}
	}
	if form, err := CompilePattern(o.Pattern); err != nil || !form.MatchString(text) {
		return Fault{"does not match the pattern " + o.Pattern, true}
	}
	return Fault{}
}

// CompilePattern compiles a field's pattern, which describes the whole value.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
	// On its own first, so that a stray bracket cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}
