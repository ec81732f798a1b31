package access

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Tokens manages the API tokens of a Project.
type Tokens struct {
	stores  ports.Stores
	tx      ports.Tx
	clock   ports.Clock
	changes ports.Changes
}

// NewTokens returns Tokens.
func NewTokens(stores ports.Stores, tx ports.Tx, clock ports.Clock, changes ports.Changes) *Tokens {
	return &Tokens{stores: stores, tx: tx, clock: clock, changes: changes}
}

// TokenInput describes a new token.
type TokenInput struct {
	Name        string
	Abilities   []core.Ability // at least one
	AllowDrafts bool
	RateLimit   *int       // requests per 60 s; nil: the service's default, 0: no limit
	ExpiresAt   *time.Time // nil: never
}

// TokenChange changes the members of a token that are not nil.
type TokenChange struct {
	Name        *string
	Abilities   *[]core.Ability
	AllowDrafts *bool
	RateLimit   Optional[int]       // null: the service's default
	ExpiresAt   Optional[time.Time] // null: never
}

// List returns the Project's tokens, revoked ones included, ordered by id.
func (t *Tokens) List(ctx context.Context, project *core.Project) ([]core.Token, error) {
	return nil, nil
}

// Token returns one token of the Project.
func (t *Tokens) Token(ctx context.Context, project *core.Project, id int64) (core.Token, error) {
	return core.Token{}, nil
}

// Create makes a token and returns it with its secret, which cannot be had again.
func (t *Tokens) Create(ctx context.Context, actor core.Actor, project *core.Project, in TokenInput) (core.Token, string, error) {
	return core.Token{}, "", nil
}

// Update changes a token. A revoked token stays as it is: core.KindConflict.
func (t *Tokens) Update(ctx context.Context, project *core.Project, id int64, change TokenChange) (core.Token, error) {
	return core.Token{}, nil
}

// Revoke ends a token for ever; no error when it was revoked already.
func (t *Tokens) Revoke(ctx context.Context, project *core.Project, id int64) error { return nil }
