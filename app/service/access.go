package service

import (
	"net/url"

	"go.uber.org/fx"

	"imprimatur/adapters/webauthn"
	"imprimatur/core/access"
	"imprimatur/core/identity"
	"imprimatur/ports"
)

// accessModule provides the use cases of users, roles, tokens and signing in.
var accessModule = fx.Module("access", fx.Provide(
	access.NewAuthorizer,
	access.NewAuthenticator,
	access.NewUsage,
	identity.NewSessions,
	access.NewTokens,
	access.NewOrganisation,
	access.NewMembers,
	access.NewUsers,
	identity.NewPasswords,
	identity.NewFactors,
	identity.NewPasskeys,
	newPasskeyReader,
	identity.NewApps,
	func() identity.Policy { return access.Standing{} },
))

// passkeyParts are the parameters of newPasskeyReader.
type passkeyParts struct {
	fx.In

	Addresses *Addresses `optional:"true"` // commands do not listen
}

func newPasskeyReader(parts passkeyParts) (ports.PasskeyReader, error) {
	if parts.Addresses == nil {
		return webauthn.New(&url.URL{}), nil
	}
	base, err := url.Parse(parts.Addresses.Public)
	if err != nil {
		return nil, err
	}
	return webauthn.New(base), nil
}
