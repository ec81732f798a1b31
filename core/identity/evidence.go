package identity

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/password"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Evidence is what a person shows to prove who they are, in exactly one of the ways.
type Evidence struct {
	Password string
	TOTP     string // code of an authenticator app
	Recovery string // recovery code
	Passkey  []byte // assertion of a browser: JSON
}

// evidence is an Evidence of a user.
type evidence struct {
	way core.Way
	// matches reports whether it is right. It changes nothing, except that a challenge of passkeys counts
	// once.
	matches func(ctx context.Context) (bool, error)
	// use makes that it does not count again, and reports whether it still counted; nil: it always
	// does. stores are those of a transaction.
	use func(ctx context.Context, stores ports.Stores) (bool, error)
	// origin is what an identity provider has said, in this step or the one before.
	origin account.SessionOrigin
}

func (e evidence) spend(ctx context.Context, stores ports.Stores) (bool, error) {
	if e.use == nil {
		return true, nil
	}
	return e.use(ctx, stores)
}

// proofs checks evidence.
type proofs struct {
	totp     ports.TOTPStore
	recovery ports.RecoveryCodeStore
	passkeys passkeyProofs
	hasher   password.Hasher
	key      secret.Key
	clock    ports.Clock
}

// of returns the evidence of the user. It returns core.KindInvalid unless exactly one way is given.
func (p proofs) of(user core.User, given Evidence) (evidence, error) {
	var found []evidence
	if given.Password != "" {
		found = append(found, evidence{way: core.WayPassword, matches: func(ctx context.Context) (bool, error) {
			return p.hasher.Matches(ctx, given.Password, user.PasswordHash)
		}})
	}
	if given.TOTP != "" {
		found = append(found, p.ofApp(user, given.TOTP))
	}
	if given.Recovery != "" {
		found = append(found, p.ofRecovery(user, given.Recovery))
	}
	if len(given.Passkey) > 0 {
		found = append(found, p.passkeys.of(user, given.Passkey))
	}
	if len(found) != 1 {
		return evidence{}, core.Invalid(core.FieldError{Message: "must have exactly one of the members"})
	}
	return found[0], nil
}

// ofApp returns the evidence of a code of the user's authenticator app.
func (p proofs) ofApp(user core.User, code string) evidence {
	var step int64
	return evidence{
		way: core.WayTOTP,
		matches: func(ctx context.Context) (bool, error) {
			app, err := p.totp.TOTP(ctx, user.ID)
			if errors.Is(err, core.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			text, err := p.key.Open(secret.TOTP, app.Secret, appContext(user.ID))
			if errors.Is(err, secret.ErrOther) { // the secret key was replaced; recovery codes work
				return false, nil
			}
			if err != nil {
				return false, err
			}
			var found bool
			step, found = stepOf(string(text), code, p.clock.Now())
			return found && app.Confirmed && step > app.LastStep, nil
		},
		use: func(ctx context.Context, stores ports.Stores) (bool, error) {
			return stores.TOTP.Use(ctx, user.ID, step)
		},
	}
}

// ofRecovery returns the evidence of a recovery code.
func (p proofs) ofRecovery(user core.User, code string) evidence {
	return evidence{
		way:     core.WayRecovery,
		matches: func(ctx context.Context) (bool, error) { return p.recovery.Has(ctx, user.ID, recoveryHash(code)) },
		use: func(ctx context.Context, stores ports.Stores) (bool, error) {
			return stores.Recovery.Use(ctx, user.ID, recoveryHash(code))
		},
	}
}
