package service

import (
	"go.uber.org/fx"

	"imprimatur/core/access"
	"imprimatur/ports"
)

// accessModule provides the use cases of users, roles, tokens and sessions.
var accessModule = fx.Module("access", fx.Provide(
	access.NewAuthorizer,
	access.NewAuthenticator,
	func(stores ports.Stores, clock ports.Clock) *access.Usage {
		return access.NewUsage(stores.Tokens, clock)
	},
	access.NewSessions,
	access.NewTokens,
	access.NewOrganisation,
	access.NewMembers,
	access.NewUsers,
))
