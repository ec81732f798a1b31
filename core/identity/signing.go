package identity

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Signing is an attempt of a signed-in user to sign a decision.
type Signing struct {
	Client

	Challenge string   // account.SignatureChallenge.Name
	Proof     Evidence // a passkey, or the password, with the code of the app if the account has one
}

// Sign checks the evidence of a signature for the challenge of the session of actor. Nothing is used up before the
// decision. Sign returns core.KindForbidden with code "signature_required" without a session, as of tokens and
// assistants, core.KindGone for a challenge that is not that of the session or has expired, and core.KindInvalid for
// evidence that is wrong, which counts as a failed sign-in, or that is not accepted, which does not. It returns
// core.KindForbidden with the code provider_required for the password of a user that signs in by an identity provider alone.
func (s *Sessions) Sign(ctx context.Context, actor core.Actor, in Signing) (*ports.Signed, error) {
	session, err := s.sessions.Session(ctx, actor.Session)
	if errors.Is(err, core.ErrNotFound) || err == nil && (session.UserID != actor.UserID() || actor.Assistant != nil) {
		return nil, review.SignatureRequired()
	}
	if err != nil {
		return nil, err
	}
	if session.Challenge.Payload == "" || session.Challenge.Name() != in.Challenge {
		return nil, review.ChallengeExpired()
	}
	user, err := s.users.User(ctx, actor.UserID())
	if err != nil {
		return nil, err
	}
	signed := &ports.Signed{Challenge: session.Challenge, Signature: review.Signature{Payload: session.Challenge.Payload}}
	given, err := s.proofs.ofSignature(user, in.Proof, signed)
	if err != nil {
		return nil, err
	}
	if in.Proof.Password != "" {
		if err := s.rule.mustNotForbid(ctx, &user); err != nil {
			return nil, err
		}
	}
	from := s.client(in.Client, user.Email)
	ok, err := s.attempts.check(ctx, from, &user, given.matches)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, wrongSignature(given.way)
	}
	signed.Spend = func(ctx context.Context, stores ports.Stores) error {
		if err := s.attempts.allowed(ctx, stores.SignIns, from); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if current.PasswordHash != user.PasswordHash || current.HasFactor() != user.HasFactor() {
			return core.ErrChangedMeanwhile
		}
		if fresh, err := given.spend(ctx, stores); err != nil || !fresh {
			return orElse(err, wrongSignature(given.way))
		}
		if fresh, err := stores.Sessions.Answer(ctx, actor.Session, session.Challenge); err != nil || !fresh {
			return orElse(err, review.ChallengeExpired())
		}
		return s.attempts.succeeded(ctx, stores.SignIns, from)
	}
	return signed, nil
}

func wrongSignature(way core.Way) error {
	message := "is wrong"
	switch way {
	case core.WayTOTP:
		message = "or the code is wrong, or the code was used before"
	case core.WayPasskey:
		return core.Invalid(core.FieldError{Location: "signature.passkey", Message: "is none of yours, or does not sign this challenge"})
	}
	return core.Invalid(core.FieldError{Location: "signature.password", Message: message})
}

// ofSignature returns the evidence for signed. It sets the members of signed that say how it was made.
func (p proofs) ofSignature(user core.User, given Evidence, signed *ports.Signed) (evidence, error) {
	fault := func(at, message string) (evidence, error) {
		return evidence{}, core.Invalid(core.FieldError{Location: "signature" + at, Message: message})
	}
	switch {
	case len(given.Passkey) > 0 && (given.Password != "" || given.TOTP != ""):
		return fault("", "must have either passkey, or password")
	case len(given.Passkey) > 0:
		signed.Method = review.SignedByPasskey
		return p.passkeys.ofSignature(user, given.Passkey, signed), nil
	case given.Password == "":
		return fault("", "must have passkey, or password")
	case user.TOTP && given.TOTP == "":
		return fault(".totp", "is required: the account has an authenticator app")
	case !user.TOTP && user.HasFactor():
		return fault(".password", "is not enough: the account has a passkey, which is needed")
	case !user.TOTP && given.TOTP != "":
		return fault(".totp", "must be left out: the account has no authenticator app")
	}
	password := func(ctx context.Context) (bool, error) {
		return p.hasher.Matches(ctx, given.Password, user.PasswordHash)
	}
	if !user.TOTP {
		signed.Method = review.SignedByPassword
		return evidence{way: core.WayPassword, matches: password}, nil
	}
	signed.Method = review.SignedByBoth
	app := p.ofApp(user, given.TOTP)
	return evidence{way: core.WayTOTP, use: app.use, matches: func(ctx context.Context) (bool, error) {
		right, err := password(ctx)
		if err != nil {
			return false, err
		}
		code, err := app.matches(ctx)
		return right && code, err
	}}, nil
}

// ofSignature is of for an assertion over the payload of signed, which gets it.
func (p passkeyProofs) ofSignature(user core.User, assertion []byte, signed *ports.Signed) evidence {
	var used account.Passkey
	return evidence{
		way: core.WayPasskey,
		matches: func(ctx context.Context) (bool, error) {
			read, err := p.reader.Asserted(assertion)
			if err != nil || !bytes.Equal(read.Challenge, signed.Challenge.Sum()) {
				return false, nil //nolint:nilerr // it is wrong
			}
			passkey, err := p.store.ByCredential(ctx, read.CredentialID)
			if err != nil {
				return false, unlessMissing(err)
			}
			if used, err = p.verified(ctx, user, passkey, &read); err != nil || used.ID == 0 {
				return false, err
			}
			key, err := read.Key(passkey)
			if err != nil {
				return false, err
			}
			encode := base64.RawURLEncoding.EncodeToString
			signed.Origin, signed.PublicKey = read.Origin, base64.StdEncoding.EncodeToString(key)
			signed.Assertion = &review.Assertion{
				AuthenticatorData: encode(read.AuthenticatorData), ClientDataJSON: encode(read.ClientData), Signature: encode(read.Signature),
			}
			return true, nil
		},
		use: func(ctx context.Context, stores ports.Stores) (bool, error) {
			used.LastUsedAt = p.clock.Now()
			return stores.Passkeys.Use(ctx, used)
		},
	}
}
