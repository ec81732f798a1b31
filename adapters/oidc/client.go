package oidc

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/net/idna"

	"imprimatur/adapters/egress"
	"imprimatur/ports"
)

// timeout bounds each request, and each look-up of names and records.
const timeout = 5 * time.Second

// Resolver looks up TXT records. Implementation: net.Resolver.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Client implements ports.IdentityProviders. It is safe for concurrent use.
type Client struct {
	outside   *egress.Client
	resolver  Resolver
	now       func() time.Time
	documents documents
}

var _ ports.IdentityProviders = (*Client)(nil)

// New returns a Client that connects by outside and reads records by resolver. now is the clock by which answers of
// providers are checked.
func New(outside *egress.Client, resolver Resolver, now func() time.Time) *Client {
	return &Client{outside: outside, resolver: resolver, now: now, documents: documents{kept: map[string]*document{}}}
}

// Fault implements ports.IdentityProviders.
func (c *Client) Fault(ctx context.Context, issuer string) string {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := c.outside.CheckNow(limited, issuer); err != nil {
		return err.Error()
	}
	return ""
}

// Records implements ports.IdentityProviders.
func (c *Client) Records(ctx context.Context, domain string) ([]string, error) {
	name, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	records, err := c.resolver.LookupTXT(limited, name+".") // not within the domain of this machine
	if fault, ok := errors.AsType[*net.DNSError](err); ok && fault.IsNotFound {
		return nil, nil
	}
	return records, err
}
