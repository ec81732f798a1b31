package service

import (
	"go.uber.org/fx"

	"imprimatur/core/access"
	"imprimatur/core/identity"
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
	func() identity.Policy { return access.Standing{} },
))
