package previewurl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/previewurl"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	const template = "https://www.example.com:8443/{locale}/{slug}?id={id}#{slug}"
	require.Empty(t, previewurl.Fault(template))
	require.Equal(t, "https://www.example.com:8443", previewurl.Origin(template))
	require.Equal(t, []string{"locale", "slug", "id", "slug"}, previewurl.Placeholders(template))
	require.True(t, previewurl.Names(template, "slug"))
	require.False(t, previewurl.Names(template, "title"))
	require.False(t, previewurl.Names(template, "id"), "that of the entry, not a field")
	for wrong, fault := range map[string]string{
		"https://{slug}/": "must begin with", "javascript:alert(1)": "must begin with", "https://a.example@b.example/": "must begin with",
		"https://a.example/{": "braces", "https://a.example/%{id}": "must be a URL", "https://a.example/a b": "must be a URL",
	} {
		require.Contains(t, previewurl.Fault(wrong), fault, wrong)
	}
}

func TestFills(t *testing.T) {
	t.Parallel()
	c := &core.Collection{Fields: []*core.Field{
		{Name: "slug", Type: core.TypeSlug}, {Name: "day", Type: core.TypeDate}, {Name: "tags", Type: core.TypeText, Multiple: true},
		{Name: "note", Type: core.TypeText, Hidden: true}, {Name: "body", Type: core.TypeRichText},
	}}
	for name, fills := range map[string]bool{"slug": true, "day": true, "tags": false, "note": false, "body": false, "gone": false} {
		require.Equal(t, fills, previewurl.Fills(c, name), name)
	}
}

func TestIsFramed(t *testing.T) {
	t.Parallel()
	for origin, framed := range map[string]bool{
		"https://www.example.com": true, "http://localhost:4321": true, "http://a.localhost": true, "http://127.0.0.1": true, "http://[::1]:80": false, "http://[::1]:81": true,
		"http://www.example.com": false, "http://0.0.0.0": false, "https://a.example;b": false, "https://a.example/": false, "*": false, "": false,
	} {
		require.Equal(t, framed, previewurl.IsFramed(origin), origin)
	}
}
