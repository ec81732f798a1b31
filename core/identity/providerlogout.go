package identity

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"imprimatur/core"
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
	if err == nil && provider.State == core.ProviderOn {
		to, err = s.outside.SignOutAddress(ctx, ports.ProviderClient{Issuer: provider.Issuer, ClientID: provider.ClientID}, s.base+SignInPath)
	}
	if err == nil && to == "" {
		err = core.NotFound("page of the identity provider")
	}
	return SignOutPage{provider.Name, to}, err
}

// LinkedProvider returns the id of a provider that is on and to which the account of actor is linked; 0 for none.
func (s *SignOn) LinkedProvider(ctx context.Context, actor core.Actor) (int64, error) {
	links, err := s.Links(ctx, actor)
	for i := range links {
		if !links[i].LinkedAt.IsZero() && links[i].Provider.State == core.ProviderOn {
			return links[i].Provider.ID, nil
		}
	}
	return 0, err
}

// EndByProvider ends all sessions of the account that is linked to the person of a logout token, and does nothing if none is
// linked. It returns core.KindBadRequest with the code invalid_request for a token that is not to be believed, and the second
// time; these count as failed sign-ins from the address of from. It returns core.KindUnavailable with the code
// provider_unavailable if the keys of the provider cannot be read.
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
			linked, err := stores.Identities.Identity(ctx, providerID, out.Subject)
			if err != nil {
				return unlessMissing(err)
			}
			return stores.Sessions.DeleteByUser(ctx, linked.UserID)
		})
		return fresh, err
	})
	if err == nil && !ok {
		err = core.BadRequest("invalid_request", "must be a new logout token of this provider with a subject")
	}
	return err
}
