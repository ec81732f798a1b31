package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"imprimatur/core"
	"imprimatur/ports"
)

// Credentials is a ports.Credentials that remembers.
type Credentials struct {
	tokens   *fresh[[32]byte, core.Token]
	sessions *fresh[[32]byte, signedIn]
}

// signedIn is a session with whose it is.
type signedIn struct {
	session core.Session
	actor   core.Actor
}

// NewCredentials returns Credentials that look things up in stores and listen to
// changes from now on.
func NewCredentials(stores ports.Stores, changes ports.Changes) *Credentials {
	return newCredentials(stores, changes, uptime{time.Now()})
}

func newCredentials(stores ports.Stores, changes ports.Changes, clock otter.Clock) *Credentials {
	c := &Credentials{
		tokens: newFresh(clock, changes.Live, stores.Tokens.TokenByHash),
		sessions: newFresh(clock, changes.Live, func(ctx context.Context, hash [32]byte) (signedIn, error) {
			return findSession(ctx, stores, hash)
		}),
	}
	changes.Subscribe(func(change ports.Change) {
		switch change.Kind {
		case ports.ChangeToken:
			c.tokens.drop()
		case ports.ChangeAccount:
			c.sessions.drop()
		case ports.ChangeAll:
			c.tokens.drop()
			c.sessions.drop()
		}
	})
	return c
}

// TokenByHash is described at ports.Credentials.
func (c *Credentials) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return c.tokens.get(ctx, hash)
}

// SessionActor is described at ports.Credentials.
func (c *Credentials) SessionActor(ctx context.Context, hash [32]byte) (core.Session, core.Actor, error) {
	found, err := c.sessions.get(ctx, hash)
	return found.session, found.actor, err
}

func findSession(ctx context.Context, stores ports.Stores, hash [32]byte) (signedIn, error) {
	session, err := stores.Sessions.Session(ctx, hash)
	if err != nil {
		return signedIn{}, err
	}
	user, err := stores.Users.User(ctx, session.UserID)
	if err != nil {
		return signedIn{}, err
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return signedIn{}, err
	}
	return signedIn{session, core.Actor{User: &user, Grants: grants, CustomRoles: roles}}, nil
}
