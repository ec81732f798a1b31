package service

import (
	"context"
	"net"
	"net/url"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/oidc"
	"imprimatur/adapters/webauthn"
	"imprimatur/app/config"
	"imprimatur/core/access"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// newResets returns the resets of passwords, which say in the log that no mail can be sent, and that a
// client asks for too many.
func newResets(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, post letter.Post, log *zap.Logger) *identity.Resets {
	resets := identity.NewResets(stores, tx, hasher, clock, post)
	resets.Unsent = func(ctx context.Context) {
		log.With(httpx.LogFields(ctx)...).Warn("a new password was asked for, but no e-mail can be sent; set --smtp-url, or set a password with: imprimatur user reset")
	}
	resets.Limited = func(ctx context.Context, from string) {
		log.With(httpx.LogFields(ctx)...).Info("too many new passwords were asked for from one address; its requests are dropped for up to an hour", zap.String("address", from))
	}
	return resets
}

// accessModule provides the use cases of users, roles, tokens and signing in.
var accessModule = fx.Module("access", fx.Provide(
	access.NewAuthorizer,
	access.NewAuthenticator,
	access.NewAssistants,
	access.NewPreviews,
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
	identity.NewInvitations,
	newResets,
	identity.NewAddresses,
	newIdentityProviders,
	identity.NewProviders,
	newSignOn,
))

// newSignOn returns the sign-ins by identity providers.
func newSignOn(stores ports.Stores, tx ports.Tx, clock ports.Clock, key secret.Key, outside ports.IdentityProviders, providers *identity.Providers,
	sessions *identity.Sessions, invitations *identity.Invitations, post letter.Post, at *Addresses,
) *identity.SignOn {
	return identity.NewSignOn(stores, tx, clock, key, outside, providers, sessions, invitations, post, at.Public)
}

// newIdentityProviders returns what reaches OpenID providers.
func newIdentityProviders(cfg config.Config) (ports.IdentityProviders, error) {
	allowed, err := egress.ParseAllowed(cfg.OIDCAllow)
	if err != nil {
		return nil, startFault("setting --oidc-allow: %v", err)
	}
	return oidc.New(egress.New(allowed), net.DefaultResolver, time.Now), nil
}

// letterModule provides the post for letters. Without e-mails it needs no secret key, which commands
// do without.
func letterModule(cfg config.Config) fx.Option {
	if !cfg.Mails() {
		return fx.Supply(letter.Post{})
	}
	return fx.Provide(func(key secret.Key) letter.Post { return letter.Post{Key: key, On: true} })
}

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
