package service

import (
	"go.uber.org/fx"

	"imprimatur/core/access"
)

// accessModule provides the use cases of users, roles, tokens and sessions.
var accessModule = fx.Module("access", fx.Provide(
	access.NewAuthorizer,
	access.NewAuthenticator,
	access.NewUsage,
	access.NewSessions,
	access.NewTokens,
	access.NewOrganisation,
	access.NewMembers,
	access.NewUsers,
))
