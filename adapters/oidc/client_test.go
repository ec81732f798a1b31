package oidc_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/oidc"
)

// zone has the TXT records of names; another error is that of the map.
type zone map[string]any

func (z zone) LookupTXT(ctx context.Context, name string) ([]string, error) {
	if _, limited := ctx.Deadline(); !limited {
		return nil, errors.New("no deadline")
	}
	switch found := z[name].(type) {
	case []string:
		return found, nil
	case error:
		return nil, found
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func TestFault(t *testing.T) {
	t.Parallel()
	allowed, err := egress.ParseAllowed([]string{"10.0.0.0/8", "sso.internal:8443"})
	require.NoError(t, err)
	client := oidc.New(egress.New(allowed), zone{}, time.Now)
	for _, issuer := range []string{"https://10.1.2.3", "http://10.1.2.3:8080/realms/a", "http://sso.internal:8443", "https://93.184.215.14"} {
		require.Empty(t, client.Fault(t.Context(), issuer), issuer)
	}
	for _, issuer := range []string{"", "sso", "http://93.184.215.14", "https://127.0.0.1", "https://169.254.169.254/latest", "https://93.184.215.14:8443", "https://a:b@93.184.215.14", "ftp://10.1.2.3"} {
		require.NotEmpty(t, client.Fault(t.Context(), issuer), issuer)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	client := oidc.New(egress.New(egress.Allowed{}), zone{
		"meridian.example.": []string{"v=spf1 -all", "imprimatur-verify=A"}, "xn--bcher-kva.example.": []string{"b"}, "broken.example.": &net.DNSError{Err: "timeout", IsTimeout: true},
	}, time.Now)
	for domain, want := range map[string][]string{"meridian.example": {"v=spf1 -all", "imprimatur-verify=A"}, "bücher.example": {"b"}, "none.example": nil} {
		found, err := client.Records(t.Context(), domain)
		require.NoError(t, err, domain)
		require.Equal(t, want, found, domain)
	}
	for _, domain := range []string{"broken.example", "a b"} {
		_, err := client.Records(t.Context(), domain)
		require.Error(t, err, domain)
	}
}
