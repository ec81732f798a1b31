package access

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// The values of UserChange.Tokens.
const (
	tokensKeep   = "keep"
	tokensRevoke = "revoke"
)

// UserTokens are valid tokens that a user created, by Project and then by id. Tokens lists only those
// of Projects whose tokens the actor manages; Others counts the rest.
type UserTokens struct {
	Tokens []UserToken
	Others int
}

// UserToken is a token with the name of its Project.
type UserToken struct {
	core.Token

	ProjectName string
}

// EndedTokens are the tokens of a deactivated user.
type EndedTokens struct{ Revoked, Kept UserTokens }

// UpdatedUser is an account after a change.
type UpdatedUser struct {
	core.User

	Tokens *EndedTokens // nil: the change has no Active false
}

// OnlyReadsPublic reports whether a token can read only what is public at present: it cannot write
// and reads neither drafts nor history.
func OnlyReadsPublic(t core.Token) bool {
	for _, ability := range t.Abilities {
		if ability != core.AbilityRead {
			return false
		}
	}
	return !t.AllowDrafts && !t.AllowHistory && t.AllowSchema == core.SchemaNone
}

// Tokens returns the valid tokens of an account that the actor may see; see User.
func (u *Users) Tokens(ctx context.Context, actor core.Actor, id int64) (found UserTokens, err error) {
	if _, err := seenUser(ctx, u.users, actor, id); err != nil {
		return found, err
	}
	tokens, err := u.tokens.TokensOf(ctx, id)
	if err != nil {
		return found, err
	}
	return managed(ctx, u.projects, actor, valid(tokens, u.clock.Now()))
}

// valid returns the tokens that are neither revoked nor expired.
func valid(tokens []core.Token, now time.Time) (left []core.Token) {
	for _, t := range tokens {
		if t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(now)) {
			left = append(left, t)
		}
	}
	return left
}

// managed returns tokens as the actor sees them.
func managed(ctx context.Context, projects ports.ProjectStore, actor core.Actor, tokens []core.Token) (seen UserTokens, err error) {
	ids := make([]int64, len(tokens))
	for i, t := range tokens {
		ids[i] = t.ProjectID
	}
	found, err := projects.ProjectsByIDs(ctx, ids)
	if err != nil {
		return seen, err
	}
	names := map[int64]string{}
	for _, p := range found {
		if actor.System || ManageTokens.allows(actor, PlaceOf(p)) {
			names[p.ID] = p.Name
		}
	}
	for _, t := range tokens {
		if name, manages := names[t.ProjectID]; manages {
			seen.Tokens = append(seen.Tokens, UserToken{t, name})
		} else {
			seen.Others++
		}
	}
	return seen, nil
}

// endTokens revokes valid tokens of a deactivated account, those of all Projects: with tokensRevoke
// all, with tokensKeep none, and otherwise those that do more than read what is public.
func endTokens(ctx context.Context, stores ports.Stores, actor core.Actor, userID int64, which string, now time.Time) (*EndedTokens, error) {
	tokens, err := stores.Tokens.TokensOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	var revoked, kept []core.Token
	for _, t := range valid(tokens, now) {
		if err := stores.Tokens.Lock(ctx, t.ProjectID, t.ID); err != nil {
			return nil, err
		}
		if t, err = stores.Tokens.Token(ctx, t.ProjectID, t.ID); err != nil { // another transaction may have changed it
			return nil, err
		}
		if which == tokensKeep || which == "" && OnlyReadsPublic(t) {
			kept = append(kept, t)
			continue
		}
		t.RevokedAt = now
		if err := stores.Tokens.Update(ctx, t); err != nil {
			return nil, err
		}
		revoked = append(revoked, t)
	}
	var ended EndedTokens
	if ended.Revoked, err = managed(ctx, stores.Projects, actor, revoked); err != nil {
		return nil, err
	}
	ended.Kept, err = managed(ctx, stores.Projects, actor, kept)
	return &ended, err
}
