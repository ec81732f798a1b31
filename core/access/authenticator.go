package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Authenticator turns a credential into the actor it stands for.
type Authenticator struct {
	credentials ports.Credentials
	clock       ports.Clock
	usage       *Usage
}

// NewAuthenticator returns an Authenticator that notes in usage which tokens were used.
func NewAuthenticator(credentials ports.Credentials, clock ports.Clock, usage *Usage) *Authenticator {
	return &Authenticator{credentials: credentials, clock: clock, usage: usage}
}

// Token returns the actor of a token's secret. A secret that is malformed, unknown,
// expired or revoked is core.KindUnauthenticated, always in the same words.
func (a *Authenticator) Token(ctx context.Context, secret string) (core.Actor, error) {
	return core.Actor{}, core.Unauthenticated()
}

// Session returns the actor of a session id, with roles as they are now. An id that
// is unknown or has ended, or whose user is not active, is core.KindUnauthenticated.
func (a *Authenticator) Session(ctx context.Context, id string) (core.Actor, error) {
	return core.Actor{}, core.Unauthenticated()
}
