package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// Credentials is a caching ports.Credentials. It is safe for concurrent use.
type Credentials struct {
	tokens     *lookups[*core.Token]
	sessions   *lookups[sessionActor]
	assistants *lookups[core.Actor]
	stores     ports.Stores
}

// sessionActor is a session with its user.
type sessionActor struct {
	session account.Session
	actor   core.Actor
}

// NewCredentials returns a cache in front of stores. changes invalidate its values.
func NewCredentials(stores ports.Stores, changes ports.Changes) *Credentials {
	return newCredentials(stores, changes, uptime{time.Now()})
}

func newCredentials(stores ports.Stores, changes ports.Changes, clock otter.Clock) *Credentials {
	c := &Credentials{
		stores: stores,
		tokens: newLookups(clock, changes.Live, func(ctx context.Context, k key) (*core.Token, error) {
			token, err := stores.Tokens.TokenByHash(ctx, k.hash())
			return &token, err
		}),
		sessions: newLookups(clock, changes.Live, func(ctx context.Context, k key) (sessionActor, error) {
			return loadSession(ctx, stores, k.hash())
		}),
		assistants: newLookups(clock, changes.Live, func(ctx context.Context, k key) (core.Actor, error) {
			return loadAssistant(ctx, stores, k.hash())
		}),
	}
	changes.Subscribe(func(change ports.Change) {
		switch change.Kind {
		case ports.ChangeToken:
			c.tokens.clear()
		case ports.ChangeAccount:
			c.sessions.clear()
			c.assistants.clear()
		case ports.ChangeAll:
			c.tokens.clear()
			c.sessions.clear()
			c.assistants.clear()
		}
	})
	return c
}

// TokenByHash implements ports.Credentials.
func (c *Credentials) TokenByHash(ctx context.Context, hash [32]byte) (*core.Token, error) {
	return c.tokens.get(ctx, hashKey(hash))
}

// SessionActor implements ports.Credentials.
func (c *Credentials) SessionActor(ctx context.Context, hash [32]byte) (account.Session, core.Actor, error) {
	found, err := c.sessions.get(ctx, hashKey(hash))
	if len(found.actor.Lent) > 0 {
		found.actor.Lent = core.LentAt(found.actor.Lent, time.Now())
	}
	return found.session, found.actor, err
}

// AssistantActor implements ports.Credentials.
func (c *Credentials) AssistantActor(ctx context.Context, hash [32]byte) (core.Actor, error) {
	return c.assistants.get(ctx, hashKey(hash))
}

func loadAssistant(ctx context.Context, stores ports.Stores, hash [32]byte) (core.Actor, error) {
	assistant, err := stores.Assistants.AssistantByHash(ctx, hash)
	if err != nil {
		return core.Actor{}, err
	}
	user, err := stores.Users.User(ctx, assistant.UserID)
	if err != nil {
		return core.Actor{}, err
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return core.Actor{}, err
	}
	from, err := ports.SecondFactorFrom(ctx, stores.Tenants, &user, grants, roles)
	if err != nil {
		return core.Actor{}, err
	}
	if assistant.ProjectIDs, err = admitting(ctx, stores, assistant.ProjectIDs); err != nil {
		return core.Actor{}, err
	}
	return core.Actor{SecondFactorFrom: from, User: &user, Grants: grants, Assistant: &assistant}, nil
}

// admitting returns those of the Projects whose Tenants admit assistants.
func admitting(ctx context.Context, stores ports.Stores, projectIDs []int64) (ids []int64, err error) {
	projects, err := stores.Projects.ProjectsByIDs(ctx, projectIDs)
	if err != nil {
		return nil, err
	}
	admitted := map[int64]bool{} // by Tenant
	for _, p := range projects {
		if _, known := admitted[p.TenantID]; !known {
			tenant, err := stores.Tenants.Tenant(ctx, p.TenantID)
			if err != nil {
				return nil, err
			}
			admitted[p.TenantID] = tenant.Assistants
		}
		if admitted[p.TenantID] {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// Preview implements ports.Credentials. It reads the stores: previews live for minutes, and few read by them.
func (c *Credentials) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return c.stores.Previews.Preview(ctx, hash)
}

// Maker implements ports.Credentials. It reads the stores: few tokens need it.
func (c *Credentials) Maker(ctx context.Context, token *core.Token) (core.Actor, *core.Project, error) {
	project, err := c.stores.Projects.Project(ctx, token.ProjectID)
	if err != nil {
		return core.Actor{}, nil, err
	}
	user, err := c.stores.Users.User(ctx, token.CreatedBy)
	if err != nil {
		return core.Actor{}, nil, err
	}
	grants, _, err := c.stores.Grants.UserGrants(ctx, user.ID)
	return core.Actor{User: &user, Grants: grants}, project, err
}

func loadSession(ctx context.Context, stores ports.Stores, hash [32]byte) (sessionActor, error) {
	session, err := stores.Sessions.Session(ctx, hash)
	if err != nil {
		return sessionActor{}, err
	}
	user, err := stores.Users.User(ctx, session.UserID)
	if err != nil {
		return sessionActor{}, err
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return sessionActor{}, err
	}
	lent, err := ports.Lenders(ctx, stores, user.ID, time.Now())
	if err != nil {
		return sessionActor{}, err
	}
	from, err := ports.SecondFactorFrom(ctx, stores.Tenants, &user, grants, roles)
	if err != nil {
		return sessionActor{}, err
	}
	return sessionActor{session, core.Actor{SecondFactorFrom: from, User: &user, Grants: grants, CustomRoles: roles, Lent: lent, Session: hash, Proof: session.Proof}}, nil
}
