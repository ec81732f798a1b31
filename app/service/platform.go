package service

import (
	"go.uber.org/fx"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/password"
	"imprimatur/adapters/systemclock"
	"imprimatur/ports"
)

// platformModule provides the ports that do not need the database.
var platformModule = fx.Module("platform", fx.Provide(
	func() ports.Clock { return systemclock.New() },
	provideSecret,
	newCacheTags,
	newPause,
	openRedis,
	newChanges,
	newRateLimiter,
	func() ports.PasswordHasher { return password.New(password.Options{}) },
	cache.NewInstallation,
	func(stores ports.Stores, changes ports.Changes) ports.Schemas {
		return cache.NewSchemas(stores, changes)
	},
	func(stores ports.Stores, changes ports.Changes) ports.Credentials {
		return cache.NewCredentials(stores, changes)
	},
))
