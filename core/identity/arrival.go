package identity

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// arrive returns the account of a person that has signed in at a provider. It links or makes one as the flow says.
func (s *SignOn) arrive(ctx context.Context, actor core.Actor, provider account.IdentityProvider, begun flow, claims account.ProviderClaims) (core.User, error) {
	if begun.Kind == flowSignIn {
		return s.known(ctx, provider, claims)
	}
	groups, err := groupsOf(&provider, claims)
	if err != nil {
		return core.User{}, err
	}
	var user core.User
	switch begun.Kind {
	case flowLink:
		user, err = s.linkTo(ctx, provider, claims.Subject, func(context.Context, ports.Stores) (core.User, error) { return *actor.User, nil })
	case flowMail:
		user, err = s.linkTo(ctx, provider, claims.Subject, func(ctx context.Context, stores ports.Stores) (core.User, error) {
			return s.mailed(ctx, stores, begun.Secret)
		})
	default:
		user, err = s.accept(ctx, provider, begun.Secret, claims)
	}
	if err != nil {
		return core.User{}, err
	}
	return user, s.regroup(ctx, provider, claims.Subject, groups)
}

// regroup gives and takes the roles of the groups of a person whose account is linked.
func (s *SignOn) regroup(ctx context.Context, provider account.IdentityProvider, subject string, groups []string) error {
	return s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		return s.followGroups(ctx, stores, provider.ID, subject, groups)
	})
}

// known returns the account that is linked to a person, or a new one if the provider makes accounts.
func (s *SignOn) known(ctx context.Context, provider account.IdentityProvider, claims account.ProviderClaims) (core.User, error) {
	user, would, err := s.find(ctx, s.stores, provider, claims)
	if err != nil {
		return core.User{}, err
	}
	switch would {
	case WouldSignIn:
		groups, err := groupsOf(&provider, claims)
		if err != nil {
			return core.User{}, err
		}
		return user, s.regroup(ctx, provider, claims.Subject, groups)
	case WouldCreate:
		return s.create(ctx, provider, claims)
	case WouldRefuseGroups:
		_, err := groupsOf(&provider, claims)
		return core.User{}, err
	case WouldRefuseTenant:
		return core.User{}, notOfTenant()
	case WouldRefuseOff:
		return core.User{}, &core.Error{Kind: core.KindForbidden, Code: "account_off", Message: "the account is not active; ask an administrator"}
	default:
		return core.User{}, notLinked()
	}
}

// Would is what a sign-in at an identity provider leads to.
type Would string

// The outcomes.
const (
	WouldSignIn       Would = "sign_in" // of the linked account
	WouldCreate       Would = "create"  // an account
	WouldRefuse       Would = "not_linked"
	WouldRefuseTenant Would = "not_of_tenant"
	WouldRefuseOff    Would = "account_off"
	WouldRefuseGroups Would = "too_many_groups"
)

// Woulds returns all outcomes.
func Woulds() []Would {
	return []Would{WouldSignIn, WouldCreate, WouldRefuse, WouldRefuseTenant, WouldRefuseOff, WouldRefuseGroups}
}

// find returns what the sign-in of a person leads to, and the linked account if there is one. It changes nothing.
func (s *SignOn) find(ctx context.Context, stores ports.Stores, provider account.IdentityProvider, claims account.ProviderClaims) (core.User, Would, error) {
	_, err := groupsOf(&provider, claims)
	tooMany := core.KindOf(err) == core.KindForbidden
	linked, err := stores.Identities.Identity(ctx, provider.ID, claims.Subject)
	if errors.Is(err, core.ErrNotFound) {
		creates, err := s.creates(ctx, stores, provider, claims)
		switch {
		case creates && tooMany:
			return core.User{}, WouldRefuseGroups, err
		case creates:
			return core.User{}, WouldCreate, err
		default:
			return core.User{}, WouldRefuse, err
		}
	}
	var user core.User
	if err == nil {
		user, err = stores.Users.User(ctx, linked.UserID)
	}
	if err != nil {
		return core.User{}, "", err
	}
	of, err := inTenant(ctx, stores, &user, provider.TenantID)
	switch {
	case err != nil:
		return core.User{}, "", err
	case !user.Active:
		return user, WouldRefuseOff, nil
	case !of:
		return user, WouldRefuseTenant, nil
	case tooMany:
		return user, WouldRefuseGroups, nil
	default:
		return user, WouldSignIn, nil
	}
}

// creates reports whether the provider makes an account for a person without one: it is allowed to, speaks for the
// domain of the address, does not say that the address is not verified, and no account has the address.
func (s *SignOn) creates(ctx context.Context, stores ports.Stores, provider account.IdentityProvider, claims account.ProviderClaims) (bool, error) {
	denied := claims.EmailVerified != nil && !*claims.EmailVerified
	if !provider.CreateUsers || denied {
		return false, nil
	}
	if speaks, err := speaksFor(ctx, stores, provider, claims.Email); err != nil || !speaks {
		return false, err
	}
	_, err := stores.Users.UserByEmail(ctx, address.Mailbox(claims.Email))
	if errors.Is(err, core.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// speaksFor reports whether the domain of an address belongs to the provider.
func speaksFor(ctx context.Context, stores ports.Stores, provider account.IdentityProvider, email string) (bool, error) {
	if !address.Email(email) {
		return false, nil
	}
	claim, err := stores.Domains.Claim(ctx, address.DomainOf(email))
	return err == nil && claim.ProviderID == provider.ID && slices.Contains(provider.Domains, claim.Domain), unlessMissing(err)
}

// ofTenant reports whether an account is of a Tenant: it is no super admin, no other Tenant manages it, and all its roles
// are there. An account that no Tenant manages has at least one.
func ofTenant(ctx context.Context, stores ports.Stores, user *core.User, tenantID int64) (bool, error) {
	if is, err := inTenant(ctx, stores, user, tenantID); err != nil || !is || user.TenantID == tenantID {
		return is, err
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	return len(grants)+len(roles) > 0, err
}

// inTenant reports whether an account is of a Tenant, or has no role at all: a linked one can have lost the last role of its
// groups.
func inTenant(ctx context.Context, stores ports.Stores, user *core.User, tenantID int64) (bool, error) {
	if user.SuperAdmin || user.TenantID != 0 && user.TenantID != tenantID {
		return false, nil
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	elsewhere := slices.ContainsFunc(grants, func(g core.Grant) bool { return g.TenantID != tenantID }) ||
		slices.ContainsFunc(roles, func(r core.CustomRole) bool { return r.TenantID != tenantID })
	return !elsewhere, err
}

func notLinked() *core.Error {
	return &core.Error{
		Kind: core.KindForbidden, Code: "not_linked",
		Message: "no account is linked to you at this identity provider; ask an administrator for an invitation, or link your account from its page",
	}
}

func notOfTenant() *core.Error {
	return &core.Error{
		Kind: core.KindForbidden, Code: "not_of_tenant",
		Message: "the account is that of a super admin or belongs to another tenant too; it signs in without this identity provider",
	}
}

func accountLinked() *core.Error {
	return core.Conflict("account_linked", "the account is linked to another person at this identity provider")
}

// create makes an account for a person, with the roles of its groups.
func (s *SignOn) create(ctx context.Context, provider account.IdentityProvider, claims account.ProviderClaims) (user core.User, err error) {
	groups, err := groupsOf(&provider, claims)
	if err != nil {
		return core.User{}, err
	}
	err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if creates, err := s.creates(ctx, stores, provider, claims); err != nil || !creates {
			return orElse(err, notLinked())
		}
		user = s.account(provider, claims, address.Mailbox(claims.Email), "")
		if err := stores.Users.Insert(ctx, &user); err != nil {
			if errors.Is(err, core.ErrConflict) {
				return notLinked() // another request has made an account with the address
			}
			return err
		}
		if err := stores.SignIns.Forget(ctx, accountKey(user.Email)); err != nil { // they were without an account
			return err
		}
		if err := s.link(ctx, stores, provider, claims.Subject, user.ID); err != nil {
			return err
		}
		return s.followGroups(ctx, stores, provider.ID, claims.Subject, groups)
	})
	return user, err
}

// account returns a new account without a password, which is not yet stored.
func (s *SignOn) account(provider account.IdentityProvider, claims account.ProviderClaims, email, name string) core.User {
	local, _, _ := strings.Cut(email, "@")
	for _, known := range []string{name, claims.Name, local} {
		if words.NameFault(known) == "" {
			name = known
			break
		}
	}
	now := s.clock.Now()
	return core.User{Email: email, Name: name, TenantID: provider.TenantID, Active: true, CreatedAt: now, UpdatedAt: now}
}

// offered returns the invitation of a link if a new account that accepts it can be linked to the provider: it is to
// roles of the Tenant, and to an address without an account for whose domain the provider speaks. Otherwise the error is
// core.KindConflict with the code account_exists or provider_not_offered.
func (s *SignOn) offered(ctx context.Context, provider account.IdentityProvider, text string) (Offer, error) {
	offer, err := s.invitations.Look(ctx, text)
	if err != nil {
		return Offer{}, err
	}
	if offer.HasAccount {
		return Offer{}, accountExists()
	}
	speaks, err := speaksFor(ctx, s.stores, provider, offer.Email)
	if err != nil {
		return Offer{}, err
	}
	if !speaks || slices.ContainsFunc(offer.Roles, func(r account.HeldRole) bool { return r.TenantID != provider.TenantID }) {
		return Offer{}, core.Conflict("provider_not_offered", "this identity provider cannot accept the invitation")
	}
	return offer, nil
}

// accept makes the account of an invitation, links it and gives the roles. Its address is that of the invitation.
func (s *SignOn) accept(ctx context.Context, provider account.IdentityProvider, text string, claims account.ProviderClaims) (core.User, error) {
	offer, err := s.offered(ctx, provider, text)
	if err != nil {
		return core.User{}, err
	}
	user := s.account(provider, claims, offer.Email, offer.Name)
	user.Settings.Language = offer.Language
	return s.invitations.accept(ctx, offer, user, func(ctx context.Context, stores ports.Stores, userID int64) error {
		if speaks, err := speaksFor(ctx, stores, provider, offer.Email); err != nil || !speaks {
			return orElse(err, core.ErrChangedMeanwhile)
		}
		return s.link(ctx, stores, provider, claims.Subject, userID)
	})
}

// link stores that an account is that of a person. It returns core.KindConflict with the code person_linked if the
// person has another account, and account_linked if the account is that of another person.
func (s *SignOn) link(ctx context.Context, stores ports.Stores, provider account.IdentityProvider, subject string, userID int64) error {
	switch linked, err := stores.Identities.Identity(ctx, provider.ID, subject); {
	case err == nil && linked.UserID == userID:
		return nil
	case err == nil:
		return core.Conflict("person_linked", "another account is linked to you at this identity provider")
	case !errors.Is(err, core.ErrNotFound):
		return err
	}
	err := stores.Identities.Insert(ctx, account.UserIdentity{
		ProviderID: provider.ID, Subject: subject, TenantID: provider.TenantID, UserID: userID, LinkedAt: s.clock.Now(),
	})
	if errors.Is(err, core.ErrConflict) {
		err = accountLinked()
	}
	return err
}

// linkTo links the account that of returns to a person, and ends its sessions. The errors are those of link, and
// core.KindForbidden with the code not_of_tenant for an account that is not of the Tenant of the provider.
func (s *SignOn) linkTo(ctx context.Context, provider account.IdentityProvider, subject string, of func(context.Context, ports.Stores) (core.User, error)) (user core.User, err error) {
	var actor core.User // of the event
	err = s.tx.Do(ctx, core.Actor{User: &actor}, func(ctx context.Context, stores ports.Stores) error {
		found, err := of(ctx, stores)
		if err != nil {
			return err
		}
		if err := stores.Users.Lock(ctx, found.ID); err != nil {
			return err
		}
		if user, err = stores.Users.User(ctx, found.ID); err != nil {
			return err
		}
		actor = user
		if !user.Active || user.Email != found.Email {
			return core.ErrChangedMeanwhile
		}
		if is, err := ofTenant(ctx, stores, &user, provider.TenantID); err != nil || !is {
			return orElse(err, notOfTenant())
		}
		if err := s.link(ctx, stores, provider, subject, user.ID); err != nil {
			return err
		}
		if err := stores.Sessions.DeleteByUser(ctx, user.ID); err != nil {
			return err
		}
		user, err = stores.Users.User(ctx, user.ID) // the end of sessions begins another generation
		return err
	})
	return user, err
}

// mailed returns the account of a link that was mailed to its address, and ends the link.
func (s *SignOn) mailed(ctx context.Context, stores ports.Stores, text string) (core.User, error) {
	hash, ok := linkHash(text)
	if !ok {
		return core.User{}, invalidLink()
	}
	link, err := stores.Links.Take(ctx, hash)
	if err := s.usable(link, err); err != nil {
		return core.User{}, err
	}
	user, err := stores.Users.UserByEmail(ctx, link.Email)
	if errors.Is(err, core.ErrNotFound) || err == nil && !user.Active {
		return core.User{}, invalidLink()
	}
	return user, err
}

// usable returns core.KindGone unless a link was found and works.
func (s *SignOn) usable(link account.MailLink, err error) error {
	if errors.Is(err, core.ErrNotFound) || err == nil && (link.Kind != account.LinkProvider || !s.clock.Now().Before(link.ExpiresAt)) {
		return invalidLink()
	}
	return err
}

// RequestLink sends a link to the address, which connects its account to a person at an identity provider that is on. It
// does not look for the account, as Resets.Request, and has its limits.
func (s *SignOn) RequestLink(ctx context.Context, providerID int64, email, from string) error {
	if !s.post.On || !address.Email(email) {
		return nil
	}
	provider, err := s.stores.Providers.ProviderByID(ctx, providerID)
	if err != nil || provider.State != account.ProviderOn {
		return unlessMissing(err)
	}
	email, text, now := address.Mailbox(email), secret.Text(), s.clock.Now()
	link := account.MailLink{Hash: secret.Hash(text), Kind: account.LinkProvider, Email: email, CreatedAt: now, ExpiresAt: now.Add(ResetLifetime)}
	return s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		for key, most := range map[string]int{"connect:" + hashed(email): maxMails, "connect-from:" + addressKey(from): maxMailsFrom} {
			if wait, err := countMail(ctx, stores.SignIns, key, most, now); err != nil || wait > 0 {
				return err
			}
		}
		if err := stores.Links.Insert(ctx, link); err != nil {
			return err
		}
		return s.post.Put(ctx, stores.Mails, letter.Letter{
			Kind: letter.Connect, Address: email, Path: ConnectPath + strconv.FormatInt(provider.ID, 10) + "/" + text, Hash: link.Hash, ExpiresAt: link.ExpiresAt, Actor: provider.Name,
		})
	})
}

// Link is an identity provider to which an account is or can be linked.
type Link struct {
	Provider account.IdentityProvider
	LinkedAt time.Time // zero: it is not linked
	// Proves reports that a sign-in there proves who the user is (SignOn.BeginProof): the account is linked, the provider is
	// on, and asks for the second factor itself if the account has one.
	Proves bool
	// Passwords reports that the account proves itself with its password, too: it does not sign in by a provider alone.
	Passwords bool
}

// Links returns the identity providers to which the account of the actor is linked, and those that are on and to which it
// can be, by id.
func (s *SignOn) Links(ctx context.Context, actor core.Actor) ([]Link, error) {
	linked, err := s.stores.Identities.UserIdentities(ctx, actor.UserID())
	if err != nil {
		return nil, err
	}
	tenants := []int64{actor.User.TenantID}
	for _, g := range actor.Grants {
		tenants = append(tenants, g.TenantID)
	}
	for _, i := range linked {
		tenants = append(tenants, i.TenantID)
	}
	slices.Sort(tenants)
	links := []Link{}
	alone, err := ByProviderAlone(ctx, s.stores, actor.User)
	if err != nil {
		return nil, err
	}
	for _, tenantID := range slices.Compact(tenants) {
		some, err := s.linksIn(ctx, actor.User, tenantID, linked, !alone)
		if err != nil {
			return nil, err
		}
		links = append(links, some...)
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Provider.ID, b.Provider.ID) })
	return links, nil
}

// linksIn returns the Links of a Tenant.
func (s *SignOn) linksIn(ctx context.Context, user *core.User, tenantID int64, linked []account.UserIdentity, passwords bool) (links []Link, err error) {
	if tenantID == 0 {
		return nil, nil
	}
	found, err := s.stores.Providers.Providers(ctx, tenantID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	can, err := ofTenant(ctx, s.stores, user, tenantID)
	for _, p := range found {
		link := Link{Provider: p, Passwords: passwords}
		if i := slices.IndexFunc(linked, func(i account.UserIdentity) bool { return i.ProviderID == p.ID }); i >= 0 {
			link.LinkedAt = linked[i].LinkedAt
			_, proves := next(inside, wayOf(&p), user.HasFactor())
			link.Proves = proves && p.State == account.ProviderOn
		}
		if !link.LinkedAt.IsZero() || can && p.State == account.ProviderOn {
			links = append(links, link)
		}
	}
	return links, err
}

// Unlink removes the link of the actor's account to a provider with the roles that groups there gave, and ends its sessions.
// The last admin of a Tenant stays one. It returns core.KindForbidden with
// the code verify_first for an actor without a fresh proof, core.KindNotFound if there is no such link, and
// core.KindConflict with the code last_way_in for an account that has neither a password nor a passkey, or may not sign in with
// them.
func (s *SignOn) Unlink(ctx context.Context, actor core.Actor, providerID int64) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, actor.UserID()); err != nil {
			return err
		}
		user, err := stores.Users.User(ctx, actor.UserID())
		if err != nil {
			return err
		}
		linked, err := stores.Identities.UserIdentities(ctx, user.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(linked, func(i account.UserIdentity) bool { return i.ProviderID == providerID })
		if i < 0 {
			return core.NotFound("link to an identity provider")
		}
		if err := mustVerify(ctx, stores, actor); err != nil {
			return err
		}
		alone, err := ByProviderAlone(ctx, stores, &user)
		if err != nil {
			return err
		}
		if alone || user.PasswordHash == "" && user.Passkeys == 0 {
			return core.Conflict("last_way_in", "the account has no other way in; set a password or add a passkey first")
		}
		if err := leaveGroups(ctx, stores, linked[i]); err != nil {
			return err
		}
		if err := stores.Identities.Remove(ctx, linked[i]); err != nil {
			return err
		}
		return stores.Sessions.DeleteByUser(ctx, user.ID)
	})
}

// Trial is what an identity provider says about the admin that has tried it, and what a sign-in would do.
type Trial struct {
	Provider account.IdentityProvider
	Claims   []Claimed // by name
	AuthTime bool      // the provider says when the person has signed in there
	Would    Would
	Account  string             // address of the account that is or would be signed in; empty: none
	Roles    []account.HeldRole // that its groups would give
}

// Claimed is a claim of an identity provider.
type Claimed struct {
	Name  string
	Value string // JSON
}

// try records that the actor has tried a provider, unless that has changed meanwhile, and returns what it says.
func (s *SignOn) try(ctx context.Context, actor core.Actor, provider account.IdentityProvider, begun flow, claims account.ProviderClaims) (Trial, error) {
	if !actor.RoleIn(provider.TenantID, 0, 0).Includes(core.RoleTenantAdmin) {
		return Trial{}, core.Forbidden("only an admin of the tenant may try its identity providers")
	}
	trial := Trial{AuthTime: !claims.AuthTime.IsZero()}
	for _, name := range slices.Sorted(maps.Keys(claims.All)) {
		value, err := json.Marshal(claims.All[name])
		if err != nil {
			return Trial{}, err
		}
		trial.Claims = append(trial.Claims, Claimed{core.Clip(strings.ToValidUTF8(name, "")), string(value)})
	}
	err := s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Providers.Lock(ctx, provider.TenantID, provider.ID); err != nil {
			return err
		}
		current, err := stores.Providers.Provider(ctx, provider.TenantID, provider.ID)
		if err != nil {
			return err
		}
		if current.UpdatedAt.UnixMilli() != begun.Version {
			return core.ErrChangedMeanwhile
		}
		user, would, err := s.find(ctx, stores, current, claims)
		if err != nil {
			return err
		}
		if trial.Would, trial.Account = would, user.Email; would == WouldCreate {
			trial.Account = address.Mailbox(claims.Email)
		}
		if groups, err := groupsOf(&current, claims); err == nil && (would == WouldCreate || would == WouldSignIn) {
			if trial.Roles, err = s.rolesOf(ctx, stores, &current, groups); err != nil {
				return err
			}
		}
		current.TriedBy, current.TriedAt = actor.UserID(), s.clock.Now()
		current.UpdatedAt = later(current.TriedAt, current.UpdatedAt)
		if current.State == account.ProviderDraft {
			current.State = account.ProviderTested
		}
		trial.Provider = current
		return stores.Providers.Update(ctx, current)
	})
	return trial, err
}
