package service

import (
	"go.uber.org/fx"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest"
	"imprimatur/adapters/webauthn"
	"imprimatur/app/config"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/cachetag"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/delegation"
	"imprimatur/core/delivery"
	"imprimatur/core/fileurl"
	"imprimatur/core/identity"
	"imprimatur/core/live"
	"imprimatur/core/media"
	"imprimatur/core/notices"
	"imprimatur/core/reading"
	"imprimatur/core/releasing"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// restParts are the fields of rest.Deps.
type restParts struct {
	fx.In

	Config        config.Config
	Gateway       *httpx.Gateway
	Cookies       httpx.Cookies
	Authorizer    *access.Authorizer
	Schemas       ports.Schemas
	Sessions      *identity.Sessions
	Tokens        *access.Tokens
	Organisation  *access.Organisation
	Members       *access.Members
	Users         *access.Users
	Passwords     *identity.Passwords
	Factors       *identity.Factors
	Passkeys      *identity.Passkeys
	Apps          *identity.Apps
	Clock         ports.Clock
	Invitations   *identity.Invitations
	Resets        *identity.Resets
	Addresses     *identity.Addresses
	Providers     *identity.Providers
	SignOn        *identity.SignOn
	Public        *Addresses
	Reader        *reading.Reader
	Previews      *reading.Previews
	History       *reading.History
	Former        *reading.Former
	Changes       *reading.Changes
	Live          *live.Hub
	Writer        *writing.Writer
	Drafts        *reading.Drafts
	Collections   *definition.Collections
	Planner       *schema.Planner
	Workflows     *approval.Workflows
	Reviews       *approval.Reviews
	Releases      *releasing.Releases
	Inbox         *approval.Inbox
	Delegations   *delegation.Delegations
	Assistants    *access.Assistants
	PreviewTokens *access.Previews
	Publications  *proof.Publications
	Keys          *signing.Keys
	Events        ports.EventStore
	Webhooks      *delivery.Webhooks
	Notices       *notices.Notices
	Installation  *cache.Installation
	Idempotency   ports.IdempotencyStore
	Secret        secret.Key
	Media         *media.Library
	Files         fileurl.Base
	Cache         ports.ReadCache
	Tags          *cachetag.Scheme
	Limiters      httpx.Limiters
}

func newREST(p restParts) *rest.API {
	return rest.New(rest.Deps{
		Gateway: p.Gateway, Cookies: p.Cookies, Authorizer: p.Authorizer, Schemas: p.Schemas,
		Sessions: p.Sessions, Tokens: p.Tokens, Organisation: p.Organisation, Members: p.Members, Users: p.Users, Passwords: p.Passwords, Factors: p.Factors, Apps: p.Apps, Passkeys: p.Passkeys, PasskeyAlgorithms: webauthn.Algorithms, Clock: p.Clock,
		Invitations: p.Invitations, Resets: p.Resets, Addresses: p.Addresses, Providers: p.Providers, SignOn: p.SignOn, Base: p.Public.Public,
		Reader: p.Reader, Previews: p.Previews, History: p.History, Former: p.Former, Changes: p.Changes, Live: p.Live, Writer: p.Writer, Drafts: p.Drafts, Collections: p.Collections, Planner: p.Planner,
		Workflows: p.Workflows, Reviews: p.Reviews, Releases: p.Releases, Inbox: p.Inbox, Delegations: p.Delegations, Assistants: p.Assistants, PreviewTokens: p.PreviewTokens, Publications: p.Publications, Keys: p.Keys,
		Events: p.Events, Webhooks: p.Webhooks, Notices: p.Notices, Mail: p.Config.Mails(), Installation: p.Installation.State, Idempotency: p.Idempotency, Secret: p.Secret,
		Media: p.Media, Files: p.Files, Cache: p.Cache, Tags: p.Tags, Limiters: p.Limiters,
	})
}
