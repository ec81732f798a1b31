package access

import (
	"context"
	"crypto/subtle"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Authenticator finds the actor of a credential.
type Authenticator struct {
	credentials ports.Credentials
	clock       ports.Clock
	usage       *Usage
}

// NewAuthenticator returns an Authenticator that records in usage which tokens and sessions were used.
func NewAuthenticator(credentials ports.Credentials, clock ports.Clock, usage *Usage) *Authenticator {
	return &Authenticator{credentials: credentials, clock: clock, usage: usage}
}

// Token returns the actor of a token's secret, for a request that needs the ability. It counts the
// request, but does not check that the token has the ability. For a secret that is malformed,
// unknown, expired or revoked, and for one whose creator may no longer use it (core.Token.AllowSchema), it returns
// core.KindUnauthenticated, always with the same message.
func (a *Authenticator) Token(ctx context.Context, text string, ability core.Ability) (core.Actor, error) {
	if !wellFormed(text, secretPrefix) {
		return core.Actor{}, core.Unauthenticated()
	}
	hash := secret.Hash(text)
	token, err := a.credentials.TokenByHash(ctx, hash)
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	now := a.clock.Now()
	if subtle.ConstantTimeCompare(token.Hash[:], hash[:]) != 1 || !token.Valid(now) {
		return core.Actor{}, core.Unauthenticated()
	}
	a.usage.note(token, now, ability)
	if token.AllowSchema != core.SchemaNone {
		return a.made(ctx, token)
	}
	return core.Actor{Token: token}, nil
}

// made returns the actor of a token with AllowSchema, which is valid only while its creator is an admin of the
// Project.
func (a *Authenticator) made(ctx context.Context, token *core.Token) (core.Actor, error) {
	maker, project, err := a.credentials.Maker(ctx, token)
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	if !maker.User.Active || !maker.RoleInProject(project).Includes(core.RoleAdmin) {
		return core.Actor{}, core.Unauthenticated()
	}
	return core.Actor{Token: token, Maker: maker.User}, nil
}

// Session returns the actor of a session id, with its current roles. It returns
// core.KindUnauthenticated for an unknown id, an ended session and an inactive user. For a user
// that must change the password it returns core.KindForbidden with the code
// "password_change_required", and for one that needs a second factor the code
// "second_factor_required", unless the request is exempt.
func (a *Authenticator) Session(ctx context.Context, id string, exempt account.Exempt) (core.Actor, error) {
	if len(id) != secret.TextLength {
		return core.Actor{}, core.Unauthenticated()
	}
	session, actor, err := a.credentials.SessionActor(ctx, secret.Hash(id))
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	now := a.clock.Now()
	err = admits(&session, actor, exempt, now)
	if core.KindOf(err) != core.KindUnauthenticated {
		a.usage.noteSession(&session, now)
	}
	if err != nil {
		return core.Actor{}, err
	}
	return actor, nil
}

// admits returns the error of Session for a session that was found.
func admits(session *account.Session, actor core.Actor, exempt account.Exempt, now time.Time) error {
	if !now.Before(session.ExpiresAt) || !actor.User.Active {
		return core.Unauthenticated()
	}
	if actor.User.MustChangePassword && !exempt.PasswordChange {
		return core.PasswordChangeRequired()
	}
	if actor.NeedsFactor(now) && !exempt.SecondFactor {
		return secondFactorRequired()
	}
	return nil
}

// Assistant returns the actor of an assistant's secret, with the Projects whose tenants admit assistants and the
// current roles of its user. The errors are those of Token for the secret, and those of Session for the user.
func (a *Authenticator) Assistant(ctx context.Context, text string) (core.Actor, error) {
	if !wellFormed(text, AssistantPrefix) {
		return core.Actor{}, core.Unauthenticated()
	}
	hash := secret.Hash(text)
	actor, err := a.credentials.AssistantActor(ctx, hash)
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	now := a.clock.Now()
	switch {
	case subtle.ConstantTimeCompare(actor.Assistant.Hash[:], hash[:]) != 1, !actor.Assistant.Valid(now), !actor.User.Active:
		return core.Actor{}, core.Unauthenticated()
	case actor.User.MustChangePassword:
		return core.Actor{}, core.PasswordChangeRequired()
	case actor.NeedsFactor(now):
		return core.Actor{}, secondFactorRequired()
	default:
		return actor, nil
	}
}

// Preview returns the actor of a preview's secret: the user of its session with the current roles. For a secret that is
// malformed, unknown or expired, or whose session has ended, it returns core.KindUnauthenticated. The other errors are
// those of Session.
func (a *Authenticator) Preview(ctx context.Context, text string) (core.Actor, error) {
	if !wellFormed(text, PreviewPrefix) {
		return core.Actor{}, core.Unauthenticated()
	}
	hash := secret.Hash(text)
	preview, err := a.credentials.Preview(ctx, hash)
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	now := a.clock.Now()
	if subtle.ConstantTimeCompare(preview.Hash[:], hash[:]) != 1 || !now.Before(preview.ExpiresAt) {
		return core.Actor{}, core.Unauthenticated()
	}
	session, user, err := a.credentials.SessionActor(ctx, preview.Session)
	if err != nil {
		return core.Actor{}, unknown(err)
	}
	if err := admits(&session, user, account.Exempt{}, now); err != nil {
		return core.Actor{}, err
	}
	return core.Actor{User: user.User, Grants: user.Grants, SecondFactorFrom: user.SecondFactorFrom, Preview: &preview}, nil
}

func secondFactorRequired() *core.Error {
	return &core.Error{Kind: core.KindForbidden, Code: "second_factor_required", Message: "a tenant requires a second factor; set one up first"}
}

// unknown replaces a not-found error by core.KindUnauthenticated.
func unknown(err error) error {
	if core.KindOf(err) == core.KindNotFound {
		return core.Unauthenticated()
	}
	return err
}
