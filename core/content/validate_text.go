package content

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"imprimatur/core"
)

const (
	maxEmail    = 254  // characters that mail can carry
	maxPassword = 1024 // bytes; more is not a password but a load
)

var (
	slugForm  = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)
	colorForm = regexp.MustCompile(`\A#([0-9a-f]{6}|[0-9a-f]{8})\z`)
)

// emailForm is what HTML's <input type=email> admits. It is made when first needed, as
// making it takes a large part of a start.
var emailForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A[a-zA-Z0-9.!#$%&'*+/=?^_` + "`" + `{|}~-]+@` +
		`[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z`)
})

func checkText(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	text, message := decodeText(raw)
	if message == "" {
		message = boundsFault(f, text)
	}
	return core.QuoteJSON(text), message
}

func checkSlug(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	return checkForm(f, raw, slugForm, "must be words of a-z and 0-9 joined by single hyphens")
}

func checkEmail(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	value, message := checkForm(f, raw, emailForm(), "must be an e-mail address")
	if message == "" && len(value)-2 > maxEmail {
		message = "must be an e-mail address"
	}
	return value, message
}

func checkColor(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	text, message := decodeText(raw)
	if message != "" {
		return nil, message
	}
	return checkForm(f, core.QuoteJSON(strings.ToLower(text)), colorForm, "must be a color: #rrggbb or #rrggbbaa")
}

func checkForm(f *core.Field, raw json.RawMessage, form *regexp.Regexp, complaint string) (json.RawMessage, string) {
	text, message := decodeText(raw)
	if message == "" && !form.MatchString(text) {
		message = complaint
	}
	if message == "" {
		message = boundsFault(f, text)
	}
	return core.QuoteJSON(text), message
}

func checkPassword(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	text, message := decodeText(raw)
	switch {
	case message != "":
		return nil, message
	case text == "":
		return nil, "must not be empty"
	case len(text) > maxPassword:
		return nil, "is too long"
	}
	return core.QuoteJSON(text), boundsFault(f, text)
}

func checkChoice(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	text, message := decodeText(raw)
	if message == "" && !slices.Contains(f.Choices, text) {
		message = "must be one of: " + strings.Join(f.Choices, ", ")
	}
	return core.QuoteJSON(text), message
}

// boundsFault checks text against the field's own min, max and pattern. The
// lengths of a multiple field's texts have no bounds: there, min and max count
// values.
func boundsFault(f *core.Field, text string) string {
	if !f.Multiple {
		length := float64(utf8.RuneCountInString(text))
		if f.Min != nil && length < *f.Min {
			return "must have at least " + formatNumber(*f.Min) + " characters"
		}
		if f.Max != nil && length > *f.Max {
			return "must have at most " + formatNumber(*f.Max) + " characters"
		}
	}
	if f.Pattern != "" && !matchesWhole(f.Pattern, text) {
		return "does not match the pattern " + f.Pattern
	}
	return ""
}

func matchesWhole(pattern, text string) bool {
	form, err := compileWhole(pattern)
	return err == nil && form.MatchString(text)
}

func compileWhole(pattern string) (*regexp.Regexp, error) {
	// By itself first, so that a stray bracket cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}

// decodeText returns the string that raw, valid JSON, stands for.
func decodeText(raw json.RawMessage) (text, message string) {
	if raw[0] != '"' {
		return "", "must be a string"
	}
	text, ok := core.UnquoteJSON(raw)
	if !ok {
		return "", "is not valid Unicode text"
	}
	if strings.Contains(text, "\x00") {
		return "", "must not contain U+0000"
	}
	return text, ""
}

// unquote returns the string of a canonical JSON string, "" for anything else.
func unquote(raw json.RawMessage) string {
	text, _ := core.UnquoteJSON(raw)
	return text
}
