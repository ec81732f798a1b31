package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/password"
	"imprimatur/core/secret"
	"imprimatur/core/words"
	"imprimatur/ports"
)

const (
	maxOpen    = 200 // open invitations of one inviter
	maxOffered = 50  // roles in one invitation
)

// Invitations invites people by e-mail: to an account with roles, or to more roles.
type Invitations struct {
	stores ports.Stores
	tx     ports.Tx
	hasher password.Hasher
	policy Policy
	clock  ports.Clock
	post   letter.Post
}

// NewInvitations returns Invitations.
func NewInvitations(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, policy Policy, clock ports.Clock, post letter.Post) *Invitations {
	return &Invitations{stores: stores, tx: tx, hasher: password.NewHasher(hasher), policy: policy, clock: clock, post: post}
}

// InvitationInput describes an invitation.
type InvitationInput struct {
	Email       string // stored in lower case
	Name        string // may be empty
	Language    string // "en", "de" or empty
	Grants      []core.Grant
	CustomRoles []int64
}

// Invited is an invitation with what it is about.
type Invited struct {
	account.Invitation

	State   account.InvitationState
	Roles   []account.HeldRole // in the order of the input, custom roles last
	Inviter core.User          // who has invited
	// Path is the page of the link, with its secret. Only Create and Resend return it, and only if
	// the installation sends no mails.
	Path string
}

// Invited returns the name of the place of the n-th grant.
func (i *Invited) Invited(n int) string {
	if n < len(i.Roles) {
		return i.Roles[n].Place
	}
	return ""
}

// check returns all faults of in.
func (in *InvitationInput) check() error {
	var wrong core.Faults
	if !address.Email(in.Email) {
		wrong.Add("email", nil, "must be an e-mail address")
	}
	if fault := words.NameFault(in.Name); in.Name != "" && fault != "" {
		wrong.Add("name", nil, fault)
	}
	if in.Language != "" && in.Language != "en" && in.Language != "de" {
		wrong.Add("language", core.Clip(in.Language), "must be en or de")
	}
	slices.Sort(in.CustomRoles)
	in.CustomRoles = slices.Compact(in.CustomRoles)
	if n := len(in.Grants) + len(in.CustomRoles); n == 0 || n > maxOffered {
		wrong.Addf("roles", nil, "must have 1 to %d roles, together with customRoleIds", maxOffered)
	}
	seen := map[core.Grant]bool{}
	for i, g := range in.Grants {
		at := fmt.Sprintf("roles[%d]", i)
		if places := countSet(g.TenantID, g.DepartmentID, g.ProjectID); places != 1 {
			wrong.Add(at, nil, "must have one of tenantId, departmentId and projectId")
		}
		if g.Role = ""; seen[g] {
			wrong.Add(at, nil, "is a second role in the same place")
		}
		seen[g] = true
	}
	in.Email = address.Mailbox(in.Email)
	return wrong.Err()
}

func countSet(ids ...int64) (n int) {
	for _, id := range ids {
		if id != 0 {
			n++
		}
	}
	return n
}

// Create invites the holder of an address to roles that the actor may give, and sends a mail. It revokes the
// earlier open invitations to the address that the actor may see. It
// returns core.KindNotFound or core.KindForbidden for a role that the actor may not give,
// core.KindConflict with the code too_many_invitations while 200 of the actor are open, and
// core.KindTooManyRequests after three mails to the address in an hour.
func (s *Invitations) Create(ctx context.Context, actor core.Actor, in InvitationInput) (made Invited, err error) {
	if err := in.check(); err != nil {
		return Invited{}, err
	}
	text, now := secret.Text(), s.clock.Now()
	made.Invitation = account.Invitation{
		Hash: secret.Hash(text), Email: in.Email, Name: in.Name, Language: in.Language, Grants: in.Grants, CustomRoles: in.CustomRoles,
		InvitedBy: actor.UserID(), CreatedAt: now, ExpiresAt: now.Add(InvitationLifetime),
	}
	err = s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := s.count(ctx, stores, in.Email); err != nil {
			return err
		}
		if err := stores.Users.Lock(ctx, actor.UserID()); err != nil { // so that parallel requests are counted
			return err
		}
		if made.Roles, err = s.policy.MayGive(ctx, stores, actor, in.Grants, in.CustomRoles); err != nil {
			return err
		}
		open, err := stores.Invitations.Open(ctx, actor.UserID(), now)
		if err != nil {
			return err
		}
		if open >= maxOpen {
			return core.Conflict("too_many_invitations", "you have %d open invitations; withdraw some first", maxOpen)
		}
		made.TenantID = made.Roles[0].TenantID
		if err := stores.Invitations.Insert(ctx, &made.Invitation); err != nil {
			return err
		}
		if err := s.revokeOthers(ctx, stores, actor, made.Invitation); err != nil {
			return err
		}
		return s.send(ctx, stores, letter.Invitation, actor.User, made, text)
	})
	if err != nil {
		return Invited{}, err
	}
	return s.done(made, *actor.User, text), nil
}

// done returns an invitation that was sent, with its link if no mail has it.
func (s *Invitations) done(made Invited, inviter core.User, text string) Invited {
	made.State, made.Inviter = account.InvitationOpen, inviter
	if !s.post.On {
		made.Path = InvitationPath + text
	}
	return made
}

// count counts a mail to an address. Without mails it has no limit, but also makes parallel invitations to the
// address wait for each other, so that one of them is the newest.
func (s *Invitations) count(ctx context.Context, stores ports.Stores, email string) error {
	wait, err := countMail(ctx, stores.SignIns, "invitation:"+hashed(email), maxMails, s.clock.Now())
	if err == nil && wait > 0 && s.post.On {
		return tooManyMails(wait)
	}
	return err
}

// revokeOthers revokes the other open invitations to the address of the newest that the actor may see. Those of
// other places stay: the actor could not withdraw them either.
func (s *Invitations) revokeOthers(ctx context.Context, stores ports.Stores, actor core.Actor, newest account.Invitation) error {
	open, err := stores.Invitations.OpenTo(ctx, newest.Email, s.clock.Now())
	if err != nil {
		return err
	}
	for _, other := range open {
		if other.ID == newest.ID {
			continue
		}
		i, err := s.locked(ctx, stores, actor, other.ID)
		if errors.Is(err, core.ErrNotFound) {
			continue
		}
		if err == nil && i.State(s.clock.Now()) == account.InvitationOpen {
			i.RevokedAt = s.clock.Now()
			err = stores.Invitations.Update(ctx, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// send puts a letter among the mails.
func (s *Invitations) send(ctx context.Context, stores ports.Stores, kind letter.Kind, inviter *core.User, made Invited, text string) error {
	l, err := s.letter(ctx, stores, kind, inviter, made, text)
	if err != nil {
		return err
	}
	return s.post.Put(ctx, stores.Mails, l)
}

// letter returns the letter of an invitation. It has no places if the Tenant wants neutral mails.
func (s *Invitations) letter(ctx context.Context, stores ports.Stores, kind letter.Kind, inviter *core.User, made Invited, text string) (letter.Letter, error) {
	tenant, err := stores.Tenants.Tenant(ctx, made.TenantID)
	if err != nil {
		return letter.Letter{}, err
	}
	l := letter.Letter{
		Kind: kind, Address: made.Email, Name: made.Name, Language: made.Language, Path: InvitationPath + text, Hash: made.Hash,
		Actor: inviter.Name, ExpiresAt: made.ExpiresAt,
	}
	for _, r := range made.Roles {
		if !tenant.NeutralMail {
			l.Roles = append(l.Roles, letter.Role{Role: r.Role, Custom: r.CustomRole.Name, Place: r.Place})
		}
	}
	return l, nil
}

// List returns the invitations that the actor may see, the newest first: its own, and those to
// places all of which it administers. state selects those in a state; empty selects all. An invitation
// that cannot be accepted, because its inviter may no longer give its roles or a place no longer exists, is
// in the state revoked. more reports that others follow the page.
func (s *Invitations) List(ctx context.Context, actor core.Actor, state account.InvitationState, offset, limit int64) (page []Invited, more bool, err error) {
	q := ports.InvitationQuery{All: actor.RoleIn(0, 0, 0) == core.RoleSuperAdmin, InvitedBy: actor.UserID(), Limit: 200}
	for _, g := range actor.Grants {
		if !slices.Contains(q.TenantIDs, g.TenantID) {
			q.TenantIDs = append(q.TenantIDs, g.TenantID)
		}
	}
	inviters := map[int64]core.User{}
	for {
		found, err := s.stores.Invitations.Invitations(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for _, i := range found {
			is, err := s.state(ctx, i)
			if err != nil {
				return nil, false, err
			}
			if state != "" && is != state {
				continue
			}
			roles, seen, err := s.seen(ctx, s.stores, actor, i)
			if err != nil {
				return nil, false, err
			}
			switch {
			case !seen:
			case offset > 0:
				offset--
			case int64(len(page)) == limit:
				return page, true, nil
			default:
				if _, known := inviters[i.InvitedBy]; !known {
					if inviters[i.InvitedBy], err = s.stores.Users.User(ctx, i.InvitedBy); err != nil {
						return nil, false, err
					}
				}
				page = append(page, Invited{Invitation: i, State: is, Roles: roles, Inviter: inviters[i.InvitedBy]})
			}
		}
		if int64(len(found)) < q.Limit {
			return page, false, nil
		}
		q.BeforeID = found[len(found)-1].ID
	}
}

// state returns the state of i for those who see it in a list: revoked if it is open but cannot be accepted.
func (s *Invitations) state(ctx context.Context, i account.Invitation) (account.InvitationState, error) {
	is := i.State(s.clock.Now())
	if is != account.InvitationOpen {
		return is, nil
	}
	_, err := s.offer(ctx, s.stores, i)
	if core.KindOf(err) == core.KindGone {
		return account.InvitationRevoked, nil
	}
	return is, err
}

// seen reports whether the actor may see i, and returns its roles.
func (s *Invitations) seen(ctx context.Context, stores ports.Stores, actor core.Actor, i account.Invitation) (roles []account.HeldRole, seen bool, err error) {
	roles, err = s.policy.MayGive(ctx, stores, actor, i.Grants, i.CustomRoles)
	if err == nil {
		return roles, true, nil
	}
	if !refused(err) {
		return nil, false, err
	}
	if i.InvitedBy != actor.UserID() && actor.RoleIn(0, 0, 0) != core.RoleSuperAdmin {
		return nil, false, nil
	}
	roles, err = s.policy.Offered(ctx, stores, i.Grants, i.CustomRoles)
	return roles, true, err
}

// refused reports whether err is a refusal of the policy, not a failure.
func refused(err error) bool {
	kind := core.KindOf(err)
	return kind == core.KindNotFound || kind == core.KindForbidden || kind == core.KindInvalid || kind == core.KindUnauthenticated
}

// locked returns an invitation that the actor may see, locked for a change.
func (s *Invitations) locked(ctx context.Context, stores ports.Stores, actor core.Actor, id int64) (account.Invitation, error) {
	if err := stores.Invitations.Lock(ctx, id); err != nil {
		return account.Invitation{}, err
	}
	i, err := stores.Invitations.Invitation(ctx, id)
	if err != nil {
		return account.Invitation{}, err
	}
	if _, seen, err := s.seen(ctx, stores, actor, i); err != nil || !seen {
		if err == nil {
			err = core.NotFound("invitation")
		}
		return account.Invitation{}, err
	}
	return i, nil
}

// Resend sends an open or expired invitation again, with a new link in place of the former one. If its
// inviter may no longer give its roles, the actor becomes the inviter. It returns core.KindConflict with
// the code invitation_not_open for one that was accepted or revoked, core.KindGone if the actor may not
// give the roles either, and core.KindTooManyRequests as Create.
func (s *Invitations) Resend(ctx context.Context, actor core.Actor, id int64) (sent Invited, err error) {
	text := secret.Text()
	err = s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		i, err := s.locked(ctx, stores, actor, id)
		if err != nil {
			return err
		}
		if state := i.State(s.clock.Now()); state != account.InvitationOpen && state != account.InvitationExpired {
			return core.Conflict("invitation_not_open", "the invitation was %s", state)
		}
		if err := s.count(ctx, stores, i.Email); err != nil {
			return err
		}
		if sent, err = s.offer(ctx, stores, i); errors.Is(err, errVoid) && actor.User != nil {
			i.InvitedBy = actor.User.ID
			sent, err = s.offer(ctx, stores, i)
		}
		if err != nil {
			return err
		}
		if err := s.renew(ctx, stores, &sent, text); err != nil {
			return err
		}
		if err := s.revokeOthers(ctx, stores, actor, sent.Invitation); err != nil {
			return err
		}
		return s.send(ctx, stores, letter.Reminder, &sent.Inviter, sent, text)
	})
	if err != nil {
		return Invited{}, err
	}
	return s.done(sent, sent.Inviter, text), nil
}

// renew gives an invitation a new link in place of the former one.
func (s *Invitations) renew(ctx context.Context, stores ports.Stores, sent *Invited, text string) error {
	sent.Hash, sent.ExpiresAt = secret.Hash(text), s.clock.Now().Add(InvitationLifetime)
	return stores.Invitations.Update(ctx, sent.Invitation)
}

// Again returns the letter of the newest open invitation to an address that its inviter may still give, with a
// new link in place of the former one: for a person who asks for a new password before having any. It returns
// core.ErrNotFound if the address has no such invitation.
func (s *Invitations) Again(ctx context.Context, email string) (again letter.Letter, err error) {
	text := secret.Text()
	err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		open, err := stores.Invitations.OpenTo(ctx, email, s.clock.Now())
		if err != nil {
			return err
		}
		for _, newest := range slices.Backward(open) {
			if again, err = s.again(ctx, stores, newest.ID, text); err == nil || !refused(err) && core.KindOf(err) != core.KindGone {
				return err
			}
		}
		return core.NotFound("invitation")
	})
	return again, err
}

// again returns the letter of an invitation with a new link. It returns core.KindGone unless the invitation
// is open and its inviter may still give its roles.
func (s *Invitations) again(ctx context.Context, stores ports.Stores, id int64, text string) (letter.Letter, error) {
	if err := stores.Invitations.Lock(ctx, id); err != nil {
		return letter.Letter{}, err
	}
	i, err := stores.Invitations.Invitation(ctx, id)
	if err != nil {
		return letter.Letter{}, err
	}
	sent, err := s.offer(ctx, stores, i)
	if err == nil {
		err = s.open(sent)
	}
	if err == nil {
		err = s.renew(ctx, stores, &sent, text)
	}
	if err != nil {
		return letter.Letter{}, err
	}
	return s.letter(ctx, stores, letter.Reminder, &sent.Inviter, sent, text)
}

// Revoke ends an open or expired invitation. It returns no error if it was revoked before, and
// core.KindConflict with the code not_open if it was accepted.
func (s *Invitations) Revoke(ctx context.Context, actor core.Actor, id int64) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		i, err := s.locked(ctx, stores, actor, id)
		if err != nil {
			return err
		}
		switch i.State(s.clock.Now()) {
		case account.InvitationRevoked:
			return nil
		case account.InvitationAccepted:
			return core.Conflict("invitation_not_open", "the invitation was accepted; take the roles from the user instead")
		case account.InvitationOpen, account.InvitationExpired:
		}
		i.RevokedAt = s.clock.Now()
		return stores.Invitations.Update(ctx, i)
	})
}

// Offer is an open invitation, for the holder of its link.
type Offer struct {
	Invited

	HasAccount bool // the address has an account, which must sign in to accept
}

// Look returns the invitation of a link. It returns core.KindGone for one that cannot be accepted:
// link_invalid, invitation_accepted, invitation_revoked, invitation_expired, invitation_place_gone, and
// invitation_void if its inviter may no longer give its roles.
func (s *Invitations) Look(ctx context.Context, text string) (Offer, error) {
	hash, ok := linkHash(text)
	if !ok {
		return Offer{}, invalidLink()
	}
	i, err := s.stores.Invitations.InvitationByHash(ctx, hash)
	if errors.Is(err, core.ErrNotFound) {
		err = invalidLink()
	}
	if err != nil {
		return Offer{}, err
	}
	invited, err := s.offer(ctx, s.stores, i)
	if err == nil {
		err = s.open(invited)
	}
	if err != nil {
		return Offer{}, cmpErr(s.open(Invited{State: i.State(s.clock.Now())}), err)
	}
	_, err = s.stores.Users.UserByEmail(ctx, i.Email)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return Offer{}, err
	}
	return Offer{invited, err == nil}, nil
}

// cmpErr returns the first error that is not nil.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// open returns core.KindGone unless the invitation is open.
func (s *Invitations) open(i Invited) error {
	switch i.State {
	case account.InvitationAccepted:
		return gone("invitation_accepted", "the invitation was accepted already")
	case account.InvitationRevoked:
		return gone("invitation_revoked", "the invitation was withdrawn")
	case account.InvitationExpired:
		return gone("invitation_expired", "the invitation has expired; ask for another one")
	case account.InvitationOpen:
	}
	return nil
}

var errVoid = gone("invitation_void", "the person who has invited you may no longer give these roles; ask for another invitation")

// offer returns i with its roles if its inviter may give them at present, else core.KindGone.
func (s *Invitations) offer(ctx context.Context, stores ports.Stores, i account.Invitation) (Invited, error) {
	offered := Invited{Invitation: i, State: i.State(s.clock.Now())}
	var err error
	if offered.Roles, err = s.policy.Offered(ctx, stores, i.Grants, i.CustomRoles); err != nil {
		return Invited{}, err
	}
	if slices.ContainsFunc(offered.Roles, func(r account.HeldRole) bool { return r.Place == "" }) {
		return Invited{}, gone("invitation_place_gone", "what the invitation is for no longer exists")
	}
	if offered.Inviter, err = stores.Users.User(ctx, i.InvitedBy); err != nil {
		return Invited{}, err
	}
	inviter := core.Actor{User: &offered.Inviter}
	if inviter.Grants, inviter.CustomRoles, err = stores.Grants.UserGrants(ctx, i.InvitedBy); err != nil {
		return Invited{}, err
	}
	if _, err = s.policy.MayGive(ctx, stores, inviter, i.Grants, i.CustomRoles); err != nil {
		if refused(err) {
			err = errVoid
		}
		return Invited{}, err
	}
	return offered, nil
}

// Acceptance accepts an invitation. Name and Password are for the new account; a signed-in user that
// accepts has one.
type Acceptance struct {
	Secret   string
	Name     string
	Password string
}

// Accept gives the roles of an invitation, to a new account or to the actor. A role that the user has
// in the same place remains if it is higher. The errors are those of Look; core.KindForbidden with the
// code other_account if the actor has another address; core.KindConflict with the code account_exists
// if an account has the address and the actor is not signed in; core.KindForbidden with the code provider_required if the
// address is one of an identity provider that forbids passwords; core.KindInvalid for name and password.
func (s *Invitations) Accept(ctx context.Context, actor core.Actor, in Acceptance) (core.User, error) {
	offer, err := s.Look(ctx, in.Secret)
	if err != nil {
		return core.User{}, err
	}
	var user core.User
	switch {
	case actor.User != nil && actor.User.Email != offer.Email:
		return core.User{}, &core.Error{Kind: core.KindForbidden, Code: "other_account", Message: "the invitation is for another address than that of the signed-in user"}
	case actor.User != nil:
		user = *actor.User
	case offer.HasAccount:
		return core.User{}, accountExists()
	default:
		if err := newPasswordRule(s.stores).mustNotForbid(ctx, &core.User{Email: offer.Email}); err != nil {
			return core.User{}, err
		}
		if user, err = s.account(ctx, offer.Invitation, in); err != nil {
			return core.User{}, err
		}
	}
	return s.accept(ctx, offer, user, nil)
}

// accept gives the roles of an invitation to user, which it stores if it is new. It calls then, unless that is nil, in the
// same transaction, with the id of the user.
func (s *Invitations) accept(ctx context.Context, offer Offer, user core.User, then func(context.Context, ports.Stores, int64) error) (core.User, error) {
	fresh := user
	err := s.tx.Do(ctx, core.Actor{User: &user}, func(ctx context.Context, stores ports.Stores) error {
		user = fresh
		if err := stores.Invitations.Lock(ctx, offer.ID); err != nil {
			return err
		}
		if err := stores.Users.Lock(ctx, offer.InvitedBy); err != nil { // its permissions stay
			return err
		}
		i, err := stores.Invitations.Invitation(ctx, offer.ID)
		if err != nil {
			return err
		}
		if i.Hash != offer.Hash {
			return invalidLink()
		}
		if err := s.open(Invited{State: i.State(s.clock.Now())}); err != nil {
			return err
		}
		offered, err := s.offer(ctx, stores, i)
		if err != nil {
			return err
		}
		if err := s.join(ctx, stores, &user, i, offered.Roles); err != nil {
			return err
		}
		if then != nil {
			if err := then(ctx, stores, user.ID); err != nil {
				return err
			}
		}
		i.AcceptedAt, i.AcceptedBy = s.clock.Now(), user.ID
		return stores.Invitations.Update(ctx, i)
	})
	if err != nil {
		return core.User{}, err
	}
	return user, nil
}

func accountExists() *core.Error {
	return core.Conflict("account_exists", "an account with this address exists; sign in to accept")
}

// account returns the new account of an invitation, which is not yet stored.
func (s *Invitations) account(ctx context.Context, i account.Invitation, in Acceptance) (core.User, error) {
	var wrong core.Faults
	if fault := words.NameFault(in.Name); fault != "" {
		wrong.Add("name", nil, fault)
	}
	password.Check(&wrong, "password", in.Password)
	if err := wrong.Err(); err != nil {
		return core.User{}, err
	}
	hash, err := s.hasher.Hash(ctx, in.Password)
	now := s.clock.Now()
	return core.User{
		Email: i.Email, Name: in.Name, TenantID: i.TenantID, PasswordHash: hash, Active: true,
		Settings: core.Settings{Language: i.Language}, CreatedAt: now, UpdatedAt: now,
	}, err
}

// join stores a new account, or checks that the user may still accept, and gives the roles.
func (s *Invitations) join(ctx context.Context, stores ports.Stores, user *core.User, i account.Invitation, roles []account.HeldRole) error {
	if user.ID == 0 {
		if err := stores.Users.Insert(ctx, user); err != nil {
			if errors.Is(err, core.ErrConflict) {
				err = accountExists()
			}
			return err
		}
		if err := stores.SignIns.Forget(ctx, accountKey(user.Email)); err != nil { // they were without an account
			return err
		}
	} else {
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.Email != i.Email {
			return core.ErrChangedMeanwhile
		}
	}
	linked, err := stores.Identities.UserIdentities(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, i := range linked {
		if slices.ContainsFunc(roles, func(r account.HeldRole) bool { return r.TenantID != i.TenantID }) {
			return core.Linked()
		}
	}
	grants, _, err := stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return err
	}
	holder := core.Actor{User: user, Grants: grants}
	for _, role := range roles {
		role.UserID = user.ID
		if role.CustomRole.ID == 0 && holder.HasAt(role.Grant) {
			err = keepUnderGroups(ctx, stores, role.Grant)
		} else {
			err = giveByHand(ctx, stores, role)
		}
		if errors.Is(err, core.ErrNotFound) {
			return gone("invitation_place_gone", "what the invitation is for no longer exists")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveByHand gives a role, which is none of a group.
func giveByHand(ctx context.Context, stores ports.Stores, role account.HeldRole) error {
	if err := ports.GiveByHand(ctx, stores.Identities, role.Grant, role.CustomRole.ID); err != nil {
		return err
	}
	if role.CustomRole.ID != 0 {
		return stores.CustomRoles.Assign(ctx, role.CustomRole.ID, role.UserID)
	}
	return stores.Grants.Set(ctx, role.Grant)
}

// keepUnderGroups gives a role to a user that has it or a higher one in the place: if a group gave that, the role stays when
// the user leaves the group.
func keepUnderGroups(ctx context.Context, stores ports.Stores, g core.Grant) error {
	linked, err := stores.Identities.UserIdentities(ctx, g.UserID)
	if err != nil {
		return err
	}
	for _, i := range linked {
		at := i.GivenAt(g, 0)
		switch {
		case at < 0 || i.Given[at].Over.Includes(g.Role):
			continue
		case i.Given[at].Grant.Role == g.Role:
			i.Given = slices.Delete(i.Given, at, at+1)
		default:
			i.Given[at].Over = g.Role
		}
		if err := stores.Identities.SetGiven(ctx, i); err != nil {
			return err
		}
	}
	return nil
}
