package fieldtype

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"imprimatur/core/canonical"
	"imprimatur/core/words"
)

// MaxOperand is the maximum length of a filter value in bytes.
const MaxOperand = 4096

// MaxText is the maximum length in bytes of a text with an order, and of its folded form. An index
// stores both: Postgres can index about 2,600 bytes beside the other columns of a slot.
const MaxText = 1000

var _ = register(
	Type{
		Name: "text", Kind: Text, Form: "a string", Control: "line", Example: `"Second week"`,
		Check: checkString(shortText), Meets: textMeets, Operand: textOperand, Decode: decodeText, Blank: words.Blank, MaxBytes: MaxText, Unique: true, Length: true,
	},
	Type{
		Name: "longtext", Kind: Text, Form: "a string", Control: "lines", Example: `"Second week."`,
		Check: checkString(anyText), Meets: textMeets, Operand: textOperand, Decode: decodeText, Blank: words.Blank, Length: true, LongText: true,
	},
)

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

// checkString returns the Check of a type whose values are strings. read returns the stored form
// of a string, or a fault.
func checkString(read func(text string) (stored, fault string)) func(json.RawMessage) (json.RawMessage, string) {
	return func(raw json.RawMessage) (json.RawMessage, string) {
		if raw[0] != '"' {
			return nil, "must be a string"
		}
		text, ok := canonical.Unquote(raw)
		switch {
		case !ok:
			return nil, "is not valid Unicode text"
		case strings.Contains(text, "\x00"):
			return nil, "must not contain U+0000"
		}
		text, fault := read(text)
		return canonical.Quote(text), fault
	}
}

// anyText accepts every text.
func anyText(text string) (stored, fault string) { return text, "" }

// shortText accepts a text that an index can store.
func shortText(text string) (stored, fault string) {
	switch {
	case len(text) > MaxText:
		fault = shorter(text, MaxText) + ": use a field of type longtext for more"
	case len(words.Fold(text)) > MaxText:
		fault = "must be shorter to have at most 1000 bytes in the form by which it is sorted: use a field of type longtext for more"
	}
	return text, fault
}

// shorter says how many characters a text of more than most bytes has too many.
func shorter(text string, most int) string {
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	count, noun := utf8.RuneCountInString(text[end:]), "characters"
	if count == 1 {
		noun = "character"
	}
	return fmt.Sprintf("must be %d %s shorter to have at most %d bytes", count, noun, most)
}

// bounded returns a read of checkString that calls read and then shortText.
func bounded(read func(string) (string, string)) func(string) (string, string) {
	return func(text string) (stored, fault string) {
		if stored, fault = read(text); fault != "" {
			return "", fault
		}
		return shortText(stored)
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
		return Fault{cmp.Or(o.PatternMessage, "does not match the pattern "+o.Pattern), true}
	}
	return Fault{}
}

// CompilePattern compiles a field's pattern, which describes the whole value.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
	// The pattern is compiled alone first, so that a stray bracket cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}
