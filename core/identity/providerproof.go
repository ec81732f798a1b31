package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// laterThanNow is how far the clock of a provider may be ahead.
const laterThanNow = time.Minute

// wayOf returns the way that a sign-in at a provider is.
func wayOf(provider *account.IdentityProvider) core.Way {
	if provider.SecondFactor == account.FactorTheirs {
		return core.WayProviderFactor
	}
	return core.WayProvider
}

// originOf returns what a provider says of a sign-in, for the session that follows.
func originOf(provider *account.IdentityProvider, claims account.ProviderClaims) account.SessionOrigin {
	clip := func(text string) string { return core.Clip(strings.ToValidUTF8(text, "")) }
	return account.SessionOrigin{ProviderID: provider.ID, SID: claims.SID, Methods: clip(strings.Join(claims.Methods, " ")), Context: clip(claims.Context)}
}

// prove gives the session of the actor a fresh Proof, because the person to which the account is linked has signed in at the
// provider since the flow began. Nothing is guessed there: it counts no failures. The errors are those of Finish.
func (s *SignOn) prove(ctx context.Context, actor core.Actor, provider account.IdentityProvider, begun flow, claims account.ProviderClaims) (core.Proof, error) {
	// auth_time has whole seconds.
	if asked := time.UnixMilli(begun.At).Truncate(time.Second); claims.AuthTime.Before(asked) || claims.AuthTime.After(s.clock.Now().Add(laterThanNow)) {
		return core.Proof{}, &core.Error{
			Kind: core.KindForbidden, Code: "not_proven", Message: "the identity provider does not say that you have just signed in there; use a passkey",
		}
	}
	proof := core.Proof{Way: wayOf(&provider)}
	err := s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		linked, err := stores.Identities.Identity(ctx, provider.ID, claims.Subject)
		if errors.Is(err, core.ErrNotFound) || err == nil && linked.UserID != actor.UserID() {
			return &core.Error{Kind: core.KindForbidden, Code: "wrong_subject", Message: "another person has signed in at the identity provider than the one of your account"}
		}
		var user core.User
		if err == nil {
			user, err = stores.Users.User(ctx, linked.UserID)
		}
		if err != nil {
			return err
		}
		if _, allowed := next(inside, proof.Way, user.HasFactor()); !allowed {
			return core.ErrChangedMeanwhile
		}
		if proof.At, err = stores.Clock.Now(ctx); err != nil { // decisions, too, go by it
			return err
		}
		err = stores.Sessions.Verify(ctx, actor.Session, proof)
		if errors.Is(err, core.ErrNotFound) {
			err = flowEnded()
		}
		return err
	})
	if err != nil {
		return core.Proof{}, err
	}
	return proof, nil
}
