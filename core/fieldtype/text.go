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
		Check: checkText, Operand: textOperand, Decode: decodeText, Unique: true, Length: true,
	},
	Type{
		Name: "longtext", Kind: Text, Form: "a string", Control: "lines", Example: `"Second week."`,
		Check: checkText, Operand: textOperand, Decode: decodeText, Length: true, LongText: true,
	},
)

func checkText(o Options, raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	if fault == "" {
		fault = TextFault(o, text)
	}
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
// limit is not 0; otherwise fault is what is wrong.
func checkForm(form func() *regexp.Regexp, limit int, complaint string) func(Options, json.RawMessage) (json.RawMessage, string) {
	return func(o Options, raw json.RawMessage) (json.RawMessage, string) {
		text, fault := readString(raw)
		if fault == "" && (limit > 0 && len(text) > limit || !form().MatchString(text)) {
			fault = complaint
		}
		if fault == "" {
			fault = TextFault(o, text)
		}
		return canonical.Quote(text), fault
	}
}

// TextFault says how text breaks the bounds and the pattern of o, "" when it does not.
// Min and Max of a multiple field count its values, and bound no lengths.
func TextFault(o Options, text string) string {
	if !o.Multiple {
		length := float64(utf8.RuneCountInString(text))
		if o.Min != nil && length < *o.Min {
			return "must have at least " + FormatNumber(*o.Min) + " characters"
		}
		if o.Max != nil && length > *o.Max {
			return "must have at most " + FormatNumber(*o.Max) + " characters"
		}
	}
	if o.Pattern == "" {
		return ""
	}
	if form, err := CompilePattern(o.Pattern); err != nil || !form.MatchString(text) {
		return "does not match the pattern " + o.Pattern
	}
	return ""
}

// CompilePattern compiles a field's pattern, which describes the whole value.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
	// On its own first, so that a stray bracket cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}
