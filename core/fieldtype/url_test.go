package fieldtype_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/fieldtype"
)

func TestURL(t *testing.T) {
	t.Parallel()
	long := "https://example.org/" + strings.Repeat("é", 990)
	for text, accepted := range map[string]bool{
		"https://example.org":             true,
		"http://example.org:8080/a?b=c#d": true,
		"HTTPS://example.org/":            true,
		"https://münchen.example/über":    true,
		"https://[2001:db8::1]/":          true,
		long:                              true,
		long + "x":                        false,
		"":                                false,
		"example.org":                     false,
		"/news":                           false,
		"//example.org/news":              false,
		"https://":                        false,
		"https:example.org":               false,
		"https://:443/":                   false,
		"ftp://example.org":               false,
		"javascript:alert(1)":             false,
		"mailto:editor@example.org":       false,
		"https://exa mple.org":            false,
		"https://example.org/%zz":         true,
		"https://example.org/\u0007":      false,
		" https://example.org":            false,
		"https://example.org:port/":       false,
	} {
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		_, fault := fieldtype.Of("url").Check(raw)
		require.Equal(t, accepted, fault == "", "%s: %s", text, fault)
	}
	fault := fieldtype.Of("url").Meets(fieldtype.Options{Pattern: `https://example\.org/.*`}, json.RawMessage(`"https://example.com/"`))
	require.NotEmpty(t, fault)
}
