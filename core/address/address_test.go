package address_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/address"
)

func TestEmail(t *testing.T) {
	t.Parallel()
	for _, valid := range []string{
		"editor@meridian.example", "a+b@x.example", "o'neil@x.example", "first.last@sub.x.example", "info@münchen.example", "info@xn--mnchen-3ya.example",
		"почта@пример.example", "a@b-c.example", "a@1.example", strings.Repeat("a", 64) + "@x.example",
		`"a b"@x.example`, `"a@b"@x.example`, `"a\"b"@x.example`,
	} {
		require.True(t, address.Email(valid), valid)
	}
	for _, invalid := range []string{
		"", "a", "@x.example", "a@", "a@localhost", "a@x.", "a@x..example", "a@.example", "a b@x.example", "a@x example", `"a"@x.example`, `"a b" @x.example`, "\"a\u200bb\"@x.example", "\"a\nb\"@x.example", `"a b"`, "Ann <a@x.example>", "<a@x.example>",
		"a@[127.0.0.1]", "a@-x.example", "a@x-.example", "a@x_y.example", "a@x.example ", " a@x.example", "a@x.example\n", "a\u200bb@x.example", "a\u202e@x.example",
		"a@x\u200b.example", "a@x.example,b@x.example", strings.Repeat("a", 250) + "@x.example", strings.Repeat("a", 65) + "@x.example", strings.Repeat("\u00e9", 33) + "@x.example", "a..b@x.example", "a\u00a0b@x.example",
	} {
		require.False(t, address.Email(invalid), "%q", invalid)
	}
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	for text, mailbox := range map[string]string{
		"Editor@Meridian.Example": "editor@meridian.example",
		"a@xn--bcher-kva.example": "a@bücher.example",
		"A@XN--BCHER-KVA.example": "a@bücher.example",
		"a@BU\u0308CHER.example":  "a@bücher.example",
		"a@ｂücher.example":        "a@bücher.example",
		"e\u0301@x.example":       "\u00e9@x.example",
		`"a@b"@x.example`:         `"a@b"@x.example`,
		"No Address":              "no address",
		"a@-x.example":            "a@-x.example",
		"":                        "",
	} {
		require.Equal(t, mailbox, address.Mailbox(text), text)
		require.Equal(t, mailbox, address.Mailbox(mailbox), text)
	}
}

func TestWebURL(t *testing.T) {
	t.Parallel()
	for _, valid := range []string{
		"https://example.org", "http://example.org/", "HTTPS://Example.org/News?q=a%20b#top", "https://example.org:65535/", "https://münchen.example/straße",
		"http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080/", "https://example.org./", "https://user:secret@example.org/", "https://example.org/?q=日本",
	} {
		require.True(t, address.WebURL(valid), valid)
	}
	for _, invalid := range []string{
		"", "example.org", "/news", "//example.org", "mailto:a@x.example", "ftp://example.org", "javascript:alert(1)", "https:example.org", "https:///example.org", "https://",
		"https://.", "https://..", "https://a..b", "https://.example.org", "https://example.org:99999/", "https://example.org:65536", "https://example.org:x/", "https://exa mple.org/",
		"https://example.org/a b", " https://example.org", "https://example.org ", "https://example.org/\u202egnp.exe", "https://example.org/\u200b", "https://exa\u00admple.org/",
		"https://example.org/a\tb", "https://example.org/\n", "https://1.2.3.256/", "https://[::1", "https://[::g]/", "https://a<b/", "https://a^b/", "https://a%00b/", "https://a|b/", "https:// /", "https://?q", "https://#x", "https://:80/",
	} {
		require.False(t, address.WebURL(invalid), "%q", invalid)
	}
}

func TestWebOrigin(t *testing.T) {
	t.Parallel()
	for _, valid := range []string{"https://www.example.com", "http://localhost:3000", "https://xn--mnchen-3ya.example", "http://[::1]:8080"} {
		require.True(t, address.WebOrigin(valid), valid)
	}
	for _, invalid := range []string{"https://www.example.com/", "https://WWW.example.com", "https://www.example.com:443", "http://a:080", "https://u@a.example", "https://münchen.example", "https://."} {
		require.False(t, address.WebOrigin(invalid), invalid)
	}
}
