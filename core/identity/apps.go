package identity

import (
	"context"
	"errors"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Apps sets up the authenticator apps of users.
type Apps struct {
	factors *Factors
	key     secret.Key
}

// NewApps returns Apps. key encrypts their secrets.
func NewApps(factors *Factors, key secret.Key) *Apps { return &Apps{factors, key} }

// App is a new authenticator app.
type App struct {
	Secret string // in base32
	URI    string // otpauth://…, which apps read as a QR code
}

// SetUp makes the secret of a new authenticator app of the actor. It counts after Confirm; until
// then another call replaces it. It returns core.KindConflict when the actor has an app, and
// core.KindForbidden with code "verify_first" for an actor that has neither given a fresh proof nor
// just signed in.
func (a *Apps) SetUp(ctx context.Context, actor core.Actor) (App, error) {
	text := newSecret()
	err := a.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if user.TOTP {
			return core.Conflict("factor_exists", "there is an authenticator app already; remove it first")
		}
		if err := mustHaveProven(ctx, stores, actor); err != nil {
			return err
		}
		return stores.TOTP.Set(ctx, account.TOTP{
			UserID: user.ID, Secret: a.key.Seal(secret.TOTP, []byte(text), appContext(user.ID)), CreatedAt: a.factors.clock.Now(),
		})
	})
	if err != nil {
		return App{}, err
	}
	return App{Secret: text, URI: appURI(actor.User.Email, text)}, nil
}

// Confirm makes the app of SetUp a second factor of the actor, given one of its codes, and returns
// new recovery codes, which cannot be read later. It returns core.KindConflict without such an app, also if
// the secret key was replaced after SetUp, and core.KindInvalid for a wrong code.
func (a *Apps) Confirm(ctx context.Context, actor core.Actor, code string) (codes []string, err error) {
	err = a.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		app, err := stores.TOTP.TOTP(ctx, user.ID)
		if errors.Is(err, core.ErrNotFound) || err == nil && app.Confirmed {
			return core.Conflict("no_pending_factor", "no authenticator app waits for its first code")
		}
		if err != nil {
			return err
		}
		text, err := a.key.Open(secret.TOTP, app.Secret, appContext(user.ID))
		if errors.Is(err, secret.ErrOther) { // the secret key was replaced meanwhile
			return core.Conflict("no_pending_factor", "the authenticator app can no longer be confirmed: set it up again")
		}
		if err != nil {
			return err
		}
		step, right := stepOf(string(text), code, a.factors.clock.Now())
		if !right {
			return core.Invalid(core.FieldError{Location: "code", Message: "is not a code of the app at this time"})
		}
		if err := stores.TOTP.Confirm(ctx, user.ID, step); err != nil {
			return err
		}
		codes, err = renew(ctx, stores, user.ID)
		return err
	})
	return codes, err
}

// appContext is what the secret of an app is encrypted for: the secret in the row of another user
// cannot be read.
func appContext(userID int64) []byte { return strconv.AppendInt(nil, userID, 10) }
