package identity

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// maxGroups is the largest number of groups of a person.
const maxGroups = 500

// groupsOf returns the groups that a provider names for a person: the elements of its claim of groups that are texts, or the
// claim itself if it is one. A provider without such a claim has none. It returns core.KindForbidden with the code
// too_many_groups for more than 500, and for the overage claim of Microsoft Entra ID, which stands in their place.
func groupsOf(provider *account.IdentityProvider, claims account.ProviderClaims) ([]string, error) {
	if provider.GroupsClaim == "" {
		return nil, nil
	}
	// Aggregated and distributed claims: OpenID Connect Core 1.0, 5.6.2.
	if names, _ := claims.All["_claim_names"].(map[string]any); names != nil {
		if _, elsewhere := names[provider.GroupsClaim]; elsewhere {
			return nil, tooManyGroups("the identity provider does not send your groups, because there are too many")
		}
	}
	var groups []string
	switch value := claims.All[provider.GroupsClaim].(type) {
	case string:
		groups = []string{value}
	case []any:
		if len(value) > maxGroups {
			return nil, tooManyGroups("the identity provider names more than 500 groups of yours")
		}
		for _, element := range value {
			if group, ok := element.(string); ok {
				groups = append(groups, group)
			}
		}
	}
	return groups, nil
}

func tooManyGroups(message string) *core.Error {
	return &core.Error{Kind: core.KindForbidden, Code: "too_many_groups", Message: message + "; ask an administrator to have it send only those of this application"}
}

// rolesOf returns the roles that groups of a person give: the highest one in each place of the Tenant that exists.
func (s *SignOn) rolesOf(ctx context.Context, stores ports.Stores, provider *account.IdentityProvider, groups []string) ([]account.HeldRole, error) {
	var grants []core.Grant
	var customRoles []int64
	for _, m := range provider.Mappings {
		if !slices.Contains(groups, m.Group) {
			continue
		}
		if m.CustomRole != 0 {
			if !slices.Contains(customRoles, m.CustomRole) {
				customRoles = append(customRoles, m.CustomRole)
			}
			continue
		}
		i := slices.IndexFunc(grants, func(g core.Grant) bool { return account.PlaceOnly(g) == account.PlaceOnly(m.Grant) })
		switch {
		case i < 0:
			grants = append(grants, m.Grant)
		case !grants[i].Role.Includes(m.Grant.Role):
			grants[i] = m.Grant
		}
	}
	roles, err := s.providers.policy.Offered(ctx, stores, grants, customRoles)
	roles = slices.DeleteFunc(roles, func(r account.HeldRole) bool { return r.Place == "" || r.TenantID != provider.TenantID })
	for i := range roles {
		roles[i].Source = account.SourceGroup
	}
	return roles, err
}

// followGroups gives the account of a person the roles of groups, and takes those that groups gave before and no longer do.
// Roles that were given by hand stay.
func (s *SignOn) followGroups(ctx context.Context, stores ports.Stores, providerID int64, subject string, groups []string) error {
	link, err := stores.Identities.Identity(ctx, providerID, subject)
	if err != nil {
		return err
	}
	if err := stores.Users.Lock(ctx, link.UserID); err != nil {
		return err
	}
	if link, err = stores.Identities.Identity(ctx, providerID, subject); err != nil {
		return err
	}
	provider, err := stores.Providers.ProviderByID(ctx, providerID)
	if err != nil {
		return err
	}
	wanted, err := s.rolesOf(ctx, stores, &provider, groups)
	if err != nil || len(wanted)+len(link.Given) == 0 {
		return err
	}
	before, err := newAccountRoles(ctx, stores, link)
	if err != nil {
		return err
	}
	var given []account.GroupRole
	for _, role := range wanted {
		entry, gave, err := before.give(ctx, role)
		if err != nil {
			return err
		}
		if gave {
			given = append(given, entry)
		}
	}
	for _, old := range link.Given {
		if slices.ContainsFunc(wanted, func(r account.HeldRole) bool { return r.CustomRole.ID == old.CustomRole && samePlace(r, old) }) {
			continue
		}
		kept, err := before.take(ctx, old)
		if err != nil {
			return err
		}
		if kept {
			old.Kept = true
			given = append(given, old)
		}
	}
	if slices.Equal(given, link.Given) {
		return nil
	}
	link.Given = given
	return stores.Identities.SetGiven(ctx, link)
}

// leaveGroups takes the roles that groups gave to an account, which is no longer linked.
func leaveGroups(ctx context.Context, stores ports.Stores, link account.UserIdentity) error {
	roles, err := newAccountRoles(ctx, stores, link)
	for _, old := range link.Given {
		if err == nil {
			_, err = roles.take(ctx, old)
		}
	}
	return err
}

// samePlace reports whether two roles are in one place; so are all custom roles.
func samePlace(r account.HeldRole, old account.GroupRole) bool {
	return old.CustomRole != 0 || account.PlaceOnly(r.Grant) == account.PlaceOnly(old.Grant)
}

// accountRoles changes the roles of an account within a transaction.
type accountRoles struct {
	stores ports.Stores
	link   account.UserIdentity
	grants []core.Grant
	custom []core.CustomRole
}

func newAccountRoles(ctx context.Context, stores ports.Stores, link account.UserIdentity) (*accountRoles, error) {
	grants, custom, err := stores.Grants.UserGrants(ctx, link.UserID)
	return &accountRoles{stores, link, grants, custom}, err
}

// at returns the role in the place of g; "": none.
func (a *accountRoles) at(g core.Grant) core.Role {
	if i := slices.IndexFunc(a.grants, func(own core.Grant) bool { return account.PlaceOnly(own) == account.PlaceOnly(g) }); i >= 0 {
		return a.grants[i].Role
	}
	return ""
}

func (a *accountRoles) holds(customRole int64) bool {
	return slices.ContainsFunc(a.custom, func(r core.CustomRole) bool { return r.ID == customRole })
}

func (a *accountRoles) set(ctx context.Context, g core.Grant, role core.Role) error {
	g.UserID, g.Role = a.link.UserID, role
	return a.stores.Grants.Set(ctx, g)
}

// give gives a role of a group. gave reports whether the account has it from the group: a role that was given by hand and
// includes it stays.
func (a *accountRoles) give(ctx context.Context, role account.HeldRole) (entry account.GroupRole, gave bool, err error) {
	before := a.link.GivenAt(role.Grant, role.CustomRole.ID)
	if id := role.CustomRole.ID; id != 0 {
		entry = account.GroupRole{CustomRole: id}
		if a.holds(id) {
			return entry, before >= 0, nil
		}
		return entry, true, a.stores.CustomRoles.Assign(ctx, id, a.link.UserID)
	}
	present := a.at(role.Grant)
	manual := present
	if before >= 0 && a.link.Given[before].Grant.Role == present {
		manual = a.link.Given[before].Over
	}
	place := account.PlaceOnly(role.Grant)
	if manual.Includes(role.Role) {
		if present != manual {
			err = a.set(ctx, place, manual)
		}
		return entry, false, err
	}
	if present != role.Role {
		err = a.set(ctx, place, role.Role)
	}
	place.Role = role.Role
	return account.GroupRole{Grant: place, Over: manual}, true, err
}

// take takes a role that a group gave, and gives the lower one back that it replaced. kept reports that the account keeps it
// as the last admin of the Tenant. A role that was changed otherwise is none of the group any more.
func (a *accountRoles) take(ctx context.Context, old account.GroupRole) (kept bool, err error) {
	switch {
	case old.CustomRole != 0 && a.holds(old.CustomRole):
		return false, a.stores.CustomRoles.Unassign(ctx, old.CustomRole, a.link.UserID)
	case old.CustomRole != 0 || a.at(old.Grant) != old.Grant.Role:
		return false, nil
	case old.Over != "":
		return false, a.set(ctx, old.Grant, old.Over)
	case old.Grant.Role == core.RoleTenantAdmin:
		if last, err := a.lastAdmin(ctx); err != nil || last {
			return last, orElse(err, a.tellKept(ctx, old))
		}
	}
	taken := old.Grant
	taken.UserID = a.link.UserID
	return false, a.stores.Grants.Remove(ctx, taken)
}

// lastAdmin reports whether the Tenant has no other active admin. It makes other sign-ins of the Tenant that take the role of
// an admin wait.
func (a *accountRoles) lastAdmin(ctx context.Context) (bool, error) {
	providers, err := a.stores.Providers.Providers(ctx, a.link.TenantID)
	if err != nil {
		return false, err
	}
	if err := a.stores.Providers.Lock(ctx, a.link.TenantID, providers[0].ID); err != nil {
		return false, err
	}
	members, err := a.stores.Grants.TenantMembers(ctx, a.link.TenantID)
	if err != nil {
		return false, err
	}
	var others []int64
	for _, m := range members {
		if m.UserID != a.link.UserID {
			others = append(others, m.UserID)
		}
	}
	users, err := a.stores.Users.UsersByIDs(ctx, others)
	return !slices.ContainsFunc(users, func(u core.User) bool { return u.Active }), err
}

// tellKept records that the last admin of a Tenant keeps the role, once.
func (a *accountRoles) tellKept(ctx context.Context, role account.GroupRole) error {
	if role.Kept {
		return nil
	}
	return a.stores.Events.Record(ctx, event.Event{Type: event.MemberKept, TenantID: a.link.TenantID, SubjectID: a.link.UserID})
}
