package secret_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/secret"
)

func TestParse(t *testing.T) {
	t.Parallel()
	k := secret.New()
	require.NotEqual(t, k, secret.New())
	for _, text := range []string{
		k.Encode(), k.Encode() + "\n", " " + k.Encode() + "\r\n", strings.TrimRight(k.Encode(), "="),
		base64.URLEncoding.EncodeToString(k[:]), base64.RawURLEncoding.EncodeToString(k[:]),
	} {
		parsed, err := secret.Parse(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, k, parsed)
	}
	for _, text := range []string{
		"", "x", "a passphrase that has 32 bytes!!!", k.Encode()[:40], k.Encode() + k.Encode(), strings.Repeat("0", 64),
		k.Encode()[:20] + "\n" + k.Encode()[20:], base64.StdEncoding.EncodeToString(k[:31]), strings.Repeat("A", 42) + "B=",
	} {
		_, err := secret.Parse(text)
		require.EqualError(t, err, "must be 32 bytes in base64", "%q", text)
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	k, plain := secret.New(), []byte("private")
	sealed := k.Seal("a", plain, []byte("context"))
	require.NotContains(t, string(sealed), "private")
	require.NotEqual(t, sealed, k.Seal("a", plain, []byte("context")), "the nonce is random")
	opened, err := k.Open("a", sealed, []byte("context"))
	require.NoError(t, err)
	require.Equal(t, plain, opened)
	for name, open := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return secret.New().Open("a", sealed, []byte("context")) },
		"another purpose": func() ([]byte, error) { return k.Open("b", sealed, []byte("context")) },
		"another context": func() ([]byte, error) { return k.Open("a", sealed, []byte("other")) },
		"a byte less":     func() ([]byte, error) { return k.Open("a", sealed[1:], []byte("context")) },
		"nothing":         func() ([]byte, error) { return k.Open("a", nil, []byte("context")) },
	} {
		_, err := open()
		require.ErrorIs(t, err, secret.ErrOther, name)
	}
}

func TestPurposesAreIndependent(t *testing.T) {
	t.Parallel()
	k := secret.New()
	require.NotEqual(t, k.Derive("a"), k.Derive("b"))
	require.NotEqual(t, k.Derive("a"), secret.New().Derive("a"))
	require.NotEqual(t, k.MAC("a", []byte("x")), k.MAC("b", []byte("x")))
	require.NotEqual(t, k.MAC("a", []byte("x"), []byte("y")), k.MAC("a", []byte("xy")))
	require.Equal(t, k.MAC("a", []byte("x"), []byte("y")), k.MAC("a", []byte("x"), []byte("y")))
}

func TestKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	k := secret.New()
	for _, text := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s", k, k, k, k), fmt.Sprintf("%+v", struct{ K secret.Key }{k})} {
		require.Contains(t, text, "(secret key)")
		require.NotContains(t, text, fmt.Sprintf("%x", k[:4]))
	}
}
