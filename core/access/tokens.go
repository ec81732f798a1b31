package access

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

const (
	maxRateLimit = 1_000_000
	hintLength   = 4
)

var abilities = []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete}

// Tokens manages the API tokens of a Project.
type Tokens struct {
	tokens ports.TokenStore
	tx     ports.Tx
	clock  ports.Clock
	usage  *Usage
}

// NewTokens returns Tokens. They show the last uses from usage, which may not be stored yet.
func NewTokens(tokens ports.TokenStore, tx ports.Tx, clock ports.Clock, usage *Usage) *Tokens {
	return &Tokens{tokens: tokens, tx: tx, clock: clock, usage: usage}
}

// TokenInput describes a token.
type TokenInput struct {
	Name         string
	Abilities    []core.Ability
	AllowDrafts  bool
	AllowHistory bool
	AllowSchema  core.SchemaAccess // of a new token; it never changes
	RateLimit    *int              // nil: the service's default
	ExpiresAt    *time.Time        // nil: never
}

// List returns the Project's tokens, revoked ones included, ordered by id.
func (t *Tokens) List(ctx context.Context, project *core.Project) ([]core.Token, error) {
	found, err := t.tokens.Tokens(ctx, project.ID)
	for i := range found {
		found[i] = t.usage.seen(found[i])
	}
	return found, err
}

// Token returns one token of the Project.
func (t *Tokens) Token(ctx context.Context, project *core.Project, id int64) (core.Token, error) {
	token, err := t.tokens.Token(ctx, project.ID, id)
	return t.usage.seen(token), err
}

// Usage returns the number of requests of a token of the Project on each of the last days, oldest
// first and including today in UTC. days is from 1 to core.UsageDays. Requests of the last seconds
// may be missing.
func (t *Tokens) Usage(ctx context.Context, project *core.Project, id int64, days int) ([]core.TokenUsage, error) {
	if _, err := t.tokens.Token(ctx, project.ID, id); err != nil {
		return nil, err
	}
	from := core.Day(t.clock.Now()).AddDate(0, 0, 1-days)
	stored, err := t.tokens.Usage(ctx, project.ID, id, from)
	if err != nil {
		return nil, err
	}
	all := make([]core.TokenUsage, days)
	for i := range all {
		all[i].Day = from.AddDate(0, 0, i)
		if len(stored) > 0 && stored[0].Day.Equal(all[i].Day) {
			all[i], stored = stored[0], stored[1:]
		}
	}
	return all, nil
}

// Create creates a token and returns it with its secret. The secret cannot be read later. It returns
// core.KindUnauthenticated when the actor has been deactivated meanwhile: the deactivation revoked
// only the tokens that existed.
func (t *Tokens) Create(ctx context.Context, actor core.Actor, project *core.Project, in TokenInput) (core.Token, string, error) {
	now := t.clock.Now()
	token := core.Token{ProjectID: project.ID, AllowSchema: in.AllowSchema, CreatedBy: actor.UserID(), CreatedAt: now}
	if err := in.apply(&token, nil, now); err != nil {
		return core.Token{}, "", err
	}
	text := NewSecret()
	token.Hash, token.Hint = secret.Hash(text), text[len(text)-hintLength:]
	err := t.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stillActive(ctx, stores.Users, actor); err != nil {
			return err
		}
		return stores.Tokens.Insert(ctx, &token)
	})
	if err != nil {
		return core.Token{}, "", err
	}
	return token, text, nil
}

// stillActive locks the account of actor, if it is a user, and returns core.KindUnauthenticated
// unless it is active.
func stillActive(ctx context.Context, users ports.UserStore, actor core.Actor) error {
	if actor.User == nil {
		return nil
	}
	if err := users.Lock(ctx, actor.User.ID); err != nil {
		return err
	}
	user, err := users.User(ctx, actor.User.ID)
	if err == nil && !user.Active {
		err = core.Unauthenticated()
	}
	return err
}

// Update calls change with the members of a token, and stores what differs. It returns core.KindConflict for a revoked
// token. A time of expiry that change sets must be in the future, also if it is the present one.
func (t *Tokens) Update(ctx context.Context, actor core.Actor, project *core.Project, id int64, change func(*TokenInput)) (core.Token, error) {
	return t.change(ctx, actor, project, id, func(token *core.Token) error {
		if !token.RevokedAt.IsZero() {
			return core.Conflict("token_revoked", "the token is revoked")
		}
		present := core.NullIfZero(token.ExpiresAt)
		in := TokenInput{
			Name: token.Name, Abilities: token.Abilities, AllowDrafts: token.AllowDrafts, AllowHistory: token.AllowHistory,
			RateLimit: token.RateLimit, ExpiresAt: present,
		}
		change(&in)
		return in.apply(token, present, t.clock.Now())
	})
}

// Revoke revokes a token permanently. It returns no error when the token is already revoked.
func (t *Tokens) Revoke(ctx context.Context, actor core.Actor, project *core.Project, id int64) error {
	_, err := t.change(ctx, actor, project, id, func(token *core.Token) error {
		if token.RevokedAt.IsZero() {
			token.RevokedAt = t.clock.Now()
		}
		return nil
	})
	return err
}

func (t *Tokens) change(ctx context.Context, actor core.Actor, project *core.Project, id int64, edit func(*core.Token) error) (token core.Token, err error) {
	err = t.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Tokens.Lock(ctx, project.ID, id); err != nil {
			return err
		}
		if token, err = stores.Tokens.Token(ctx, project.ID, id); err != nil {
			return err
		}
		before := token
		if err := edit(&token); err != nil || sameToken(before, token) {
			return err
		}
		return stores.Tokens.Update(ctx, token)
	})
	if err != nil {
		return core.Token{}, err
	}
	return t.usage.seen(token), nil
}

// sameToken reports whether two states of a token are equal.
func sameToken(a, b core.Token) bool {
	if a.ExpiresAt.Equal(b.ExpiresAt) {
		b.ExpiresAt = a.ExpiresAt // perhaps with another *time.Location
	}
	return reflect.DeepEqual(a, b)
}

// apply checks in and makes token what it describes, except for AllowSchema. present is the pointer to the present time of
// expiry, which may be past: only another pointer is a time that was given.
func (in TokenInput) apply(token *core.Token, present *time.Time, now time.Time) error {
	var wrong faults
	wrong.name(in.Name)
	wrong.abilities(in.Abilities)
	wrong.rateLimit(in.RateLimit)
	token.Name, token.Abilities, token.RateLimit = in.Name, in.Abilities, in.RateLimit
	token.AllowDrafts, token.AllowHistory = in.AllowDrafts, in.AllowHistory
	if in.ExpiresAt != present {
		token.ExpiresAt = wrong.expiry(in.ExpiresAt, now)
	}
	wrong.schema(*token)
	return wrong.Err()
}

func (f *faults) abilities(given []core.Ability) {
	if len(given) == 0 {
		f.Addf("abilities", nil, "must name at least one of %v", abilities)
	}
	for i, ability := range given {
		location := fmt.Sprintf("abilities[%d]", i)
		switch {
		case !slices.Contains(abilities, ability):
			f.Addf(location, ability, "must be one of %v", abilities)
		case slices.Contains(given[:i], ability):
			f.Add(location, ability, "is named twice")
		}
	}
}

// schema checks what a token with AllowSchema needs: a user that created it, and an end.
func (f *faults) schema(t core.Token) {
	latest := t.CreatedAt.AddDate(0, 0, SchemaTokenDays)
	switch {
	case t.AllowSchema == core.SchemaNone:
	case t.AllowSchema != core.SchemaChange && t.AllowSchema != core.SchemaDestructive:
		f.Addf("allowSchema", t.AllowSchema, "must be %s or %s", core.SchemaChange, core.SchemaDestructive)
	case t.CreatedBy == 0:
		f.Add("allowSchema", t.AllowSchema, "is for tokens that an admin of the project creates in the dashboard API")
	case !slices.Contains(t.Abilities, core.AbilityRead):
		f.Add("allowSchema", t.AllowSchema, "needs the ability read")
	case t.ExpiresAt.IsZero() || t.ExpiresAt.After(latest):
		f.Addf("expiresAt", nil, "must be within %d days of the creation of a token with allowSchema", SchemaTokenDays)
	}
}

func (f *faults) rateLimit(limit *int) {
	if limit != nil && (*limit < 0 || *limit > maxRateLimit) {
		f.Addf("rateLimit", *limit, "must be from 0 (no limit) to %d requests per 60 s", maxRateLimit)
	}
}

// expiry returns the stored form of an expiry time, which must be in the future; nil: never.
func (f *faults) expiry(at *time.Time, now time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	if !at.After(now) || !core.TimeInRange(*at) {
		f.Add("expiresAt", nil, "must be in the future, before the year 10000")
	}
	return at.UTC().Truncate(time.Millisecond)
}
