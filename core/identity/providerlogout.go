package identity

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// logoutKept is how long after its issue a logout token is remembered: longer than one is believed.
const logoutKept = 10 * time.Minute

// SignInPath is the page where people sign in, and to which providers send them after a sign-out.
const SignInPath = "/dashboard/sign-in"

// SignOutPage is the page of an identity provider where a person signs out there.
type SignOutPage struct{ Name, URL string }

// SignOutPage returns that of a provider that is on and has one; any other is core.KindNotFound.
func (s *SignOn) SignOutPage(ctx context.Context, providerID int64) (SignOutPage, error) {
	provider, err := s.stores.Providers.ProviderByID(ctx, providerID)
	to := ""
	if err == nil && provider.State == account.ProviderOn {
		to, err = s.outside.SignOutAddress(ctx, ports.ProviderClient{Issuer: provider.Issuer, ClientID: provider.ClientID}, s.base+SignInPath)
	}
	if err == nil && to == "" {
		err = core.NotFound("page of the identity provider")
	}
	return SignOutPage{provider.Name, to}, err
}

// OpenedBy returns the id of the provider that has opened the session of actor and is still on; 0 for none.
func (s *SignOn) OpenedBy(ctx context.Context, actor core.Actor) (int64, error) {
	session, err := s.stores.Sessions.Session(ctx, actor.Session)
	if err != nil || session.Origin.ProviderID == 0 {
		return 0, unlessMissing(err)
	}
	provider, err := s.stores.Providers.ProviderByID(ctx, session.Origin.ProviderID)
	if err != nil || provider.State != account.ProviderOn {
		return 0, unlessMissing(err)
	}
	return provider.ID, nil
}

// EndByProvider ends all sessions of the account that is linked to the person of a logout token, and does nothing if none is
// linked. A token without a person ends the session that was opened by the session at the provider. It returns
// core.KindBadRequest with the code invalid_request for a token that does not hold, and the second time; these count as
// failed sign-ins from the address of from. It returns core.KindUnavailable with the code provider_unavailable if the keys of
// the provider cannot be read.
func (s *SignOn) EndByProvider(ctx context.Context, from Client, providerID int64, token string) error {
	provider, err := s.stores.Providers.ProviderByID(ctx, providerID)
	if err != nil {
		return err
	}
	ok, err := s.sessions.attempts.check(ctx, client{address: from.Address}, &core.User{}, func(ctx context.Context) (fresh bool, err error) {
		out, err := s.outside.LoggedOut(ctx, ports.ProviderClient{Issuer: provider.Issuer, ClientID: provider.ClientID}, token)
		if err != nil {
			if core.KindOf(err) == core.KindUnauthenticated {
				err = nil
			}
			return false, err
		}
		hash := sha256.Sum256([]byte("logout " + strconv.FormatInt(providerID, 10) + " " + out.ID))
		err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			if fresh, err = stores.Spent.Spend(ctx, hash, out.IssuedAt.Add(logoutKept)); err != nil || !fresh {
				return err
			}
			if out.Subject == "" {
				return stores.Sessions.DeleteByOrigin(ctx, providerID, out.SID)
			}
			linked, err := stores.Identities.Identity(ctx, providerID, out.Subject)
			if err != nil {
				return unlessMissing(err)
			}
			return stores.Sessions.DeleteByUser(ctx, linked.UserID)
		})
		return fresh, err
	})
	if err == nil && !ok {
		err = core.BadRequest("invalid_request", "must be a new logout token of this provider with a subject or a session")
	}
	return err
}
