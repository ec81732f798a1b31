package address_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/address"
)

func TestDomain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"meridian.example": "meridian.example", "Meridian.EXAMPLE": "meridian.example", "news.meridian.example": "news.meridian.example",
		"xn--bcher-kva.example": "bücher.example", "BÜCHER.example": "bücher.example", "gmail.com": "gmail.com",
	} {
		got, ok := address.Domain(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
		require.Equal(t, "a@"+want, address.Mailbox("a@"+text), "addresses have the same form")
	}
	for _, text := range []string{"", "example", "a@meridian.example", "@meridian.example", "meridian..example", ".meridian.example", "meridian.example.", "me ridian.example", "meridian.example\n", "-a.example", "127.0.0.1/8", "[::1]", "a_b.example"} {
		_, ok := address.Domain(text)
		require.False(t, ok, "%q", text)
	}
}

func TestPublicMail(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"gmail.com", "outlook.com", "gmx.de", "web.de", "icloud.com", "qq.com", "co.uk", "github.io", "公司.cn"} {
		require.True(t, address.PublicMail(domain), domain)
	}
	for _, domain := range []string{"meridian.example", "news.meridian.example", "bücher.example", "google.com", "bbc.co.uk", "mail.meridian.co.uk"} {
		require.False(t, address.PublicMail(domain), domain)
	}
}
