package contract

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Events checks a ports.EventStore: every method of every store that changes data records
// an event, in the transaction of the change.
func Events(t *testing.T, open Factory) {
	tests := cases{
		"classifies every method of every store":       func(t *testing.T, _ *fixture) { knowsEveryMethod(t) },
		"stores actor, type, subject and time":         keepsEvents,
		"stores imports and their results":             keepsImports,
		"says which role a user gets or loses, where":  saysRoles,
		"selects events":                               selectsEvents,
		"records an event per entry of a batch":        recordsBatch,
		"records nothing without a change":             recordsNoChange,
		"records the transitions of an entry":          recordsEntryChanges,
		"records changes outside a transaction":        recordsOutside,
		"assigns ascending ids to changes of an entry": ascends,
	}
	for method, m := range mutations {
		tests["records "+method] = func(t *testing.T, w *fixture) { m.check(t, w) }
	}
	run(t, open, tests)
	t.Run("removes the oldest", func(t *testing.T) { removesOldest(t, open) })
	t.Run("says since when events are kept", func(t *testing.T) { keepsSince(t, open) })
}

// mutation is a store method that changes data, with the events that it records.
type mutation struct {
	// prepare creates the required data and returns the change.
	prepare func(t *testing.T, w *fixture) func(s ports.Stores) error
	want    []event.Type
}

// mutations lists the methods that record events, by store and method name.
var mutations = map[string]mutation{
	"Tenants.Insert": {func(t *testing.T, _ *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Tenants.Insert(t.Context(), &core.Tenant{Name: "New", CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.TenantCreated}},
	"Tenants.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.Tenants.Update(t.Context(), w.tenant) }
	}, []event.Type{event.TenantUpdated}},
	"Tenants.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		gone := w.newTenant(t)
		return func(s ports.Stores) error { return s.Tenants.Delete(t.Context(), gone.ID) }
	}, []event.Type{event.TenantDeleted}},
	"Departments.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Departments.Insert(t.Context(), &core.Department{TenantID: w.tenant.ID, Name: "New", CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.DepartmentCreated}},
	"Departments.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.Departments.Update(t.Context(), w.department) }
	}, []event.Type{event.DepartmentUpdated}},
	"Departments.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		gone := w.newDepartment(t, w.tenant.ID)
		return func(s ports.Stores) error { return s.Departments.Delete(t.Context(), gone.ID) }
	}, []event.Type{event.DepartmentDeleted}},
	"CustomRoles.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.CustomRoles.Insert(t.Context(), w.role()) }
	}, []event.Type{event.RoleCreated}},
	"CustomRoles.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		role := w.newRole(t)
		return func(s ports.Stores) error { return s.CustomRoles.Update(t.Context(), *role) }
	}, []event.Type{event.RoleUpdated}},
	"CustomRoles.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		role := w.newRole(t)
		return func(s ports.Stores) error { return s.CustomRoles.Delete(t.Context(), role.ID) }
	}, []event.Type{event.RoleDeleted}},
	"CustomRoles.Assign": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		role, user := w.newRole(t), w.newUser(t)
		return func(s ports.Stores) error {
			return errors.Join(s.CustomRoles.Assign(t.Context(), role.ID, user.ID), s.CustomRoles.Assign(t.Context(), role.ID, user.ID))
		}
	}, []event.Type{event.RoleGiven}},
	"CustomRoles.Unassign": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		role, user := w.newRole(t), w.newUser(t)
		requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, user.ID))
		return func(s ports.Stores) error { return s.CustomRoles.Unassign(t.Context(), role.ID, user.ID) }
	}, []event.Type{event.RoleTaken}},
	"Projects.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			p := *w.project
			p.UUID = strconv.FormatInt(w.project.ID, 10) + "-other"
			return s.Projects.Insert(t.Context(), &p)
		}
	}, []event.Type{event.ProjectCreated}},
	"Projects.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.Projects.Update(t.Context(), w.project) }
	}, []event.Type{event.ProjectUpdated}},
	"Projects.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.Projects.Delete(t.Context(), w.project.ID) }
	}, []event.Type{event.ProjectDeleted}},
	"Users.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Users.Insert(t.Context(), &core.User{
				Email: strconv.FormatInt(w.project.ID, 10) + "@example.net", TenantID: w.tenant.ID, CreatedAt: at(1), UpdatedAt: at(1),
			})
		}
	}, []event.Type{event.UserCreated}},
	"Users.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		user := w.newUser(t)
		return func(s ports.Stores) error {
			same, moved := user, user
			moved.Email = "moved-" + user.Email
			secret := moved
			secret.PasswordHash, secret.MustChangePassword, secret.UpdatedAt = "$new$", true, at(9)
			all := user
			all.Name = "New"
			return errors.Join(s.Users.Update(t.Context(), same), s.Users.Update(t.Context(), moved), s.Users.Update(t.Context(), secret), s.Users.Update(t.Context(), all))
		}
	}, []event.Type{
		event.UserUpdated, event.EmailChanged, event.PasswordChanged, event.EmailChanged, event.PasswordChanged, event.UserUpdated,
	}},
	"Invitations.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		user := w.newUser(t)
		return func(s ports.Stores) error {
			i := account.Invitation{Hash: newHash(), Email: "a@example.org", TenantID: w.tenant.ID, InvitedBy: user.ID, CreatedAt: at(1), ExpiresAt: at(2)}
			return s.Invitations.Insert(t.Context(), &i)
		}
	}, []event.Type{event.InvitationCreated}},
	"Invitations.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		i := w.newInvitation(t, w.newUser(t).ID)
		return func(s ports.Stores) error {
			revoked, accepted := i, i
			revoked.RevokedAt, accepted.AcceptedAt = at(3), at(3)
			return errors.Join(s.Invitations.Update(t.Context(), i), s.Invitations.Update(t.Context(), revoked), s.Invitations.Update(t.Context(), accepted))
		}
	}, []event.Type{event.InvitationResent, event.InvitationRevoked, event.InvitationAccepted}},
	"Providers.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			p := w.newProvider()
			return s.Providers.Insert(t.Context(), &p)
		}
	}, []event.Type{event.IdentityProviderCreated}},
	"Providers.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.insertProvider(t)
		return func(s ports.Stores) error { return s.Providers.Update(t.Context(), p) }
	}, []event.Type{event.IdentityProviderUpdated}},
	"Providers.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.insertProvider(t)
		return func(s ports.Stores) error { return s.Providers.Delete(t.Context(), p.TenantID, p.ID) }
	}, []event.Type{event.IdentityProviderDeleted}},
	"Domains.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.insertProvider(t)
		return func(s ports.Stores) error { return s.Domains.Insert(t.Context(), claimOf(p, "new.example")) }
	}, []event.Type{event.IdentityProviderUpdated}},
	"Domains.Remove": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		c := claimOf(w.insertProvider(t), "old.example")
		requireNoError(t, w.Stores.Domains.Insert(t.Context(), c))
		return func(s ports.Stores) error { return s.Domains.Remove(t.Context(), c) }
	}, []event.Type{event.IdentityProviderUpdated}},
	"Identities.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		i := identityOf(w.insertProvider(t), "new", w.newUser(t).ID)
		return func(s ports.Stores) error { return s.Identities.Insert(t.Context(), i) }
	}, []event.Type{event.UserLinked}},
	"Identities.Remove": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		i := identityOf(w.insertProvider(t), "old", w.newUser(t).ID)
		requireNoError(t, w.Stores.Identities.Insert(t.Context(), i))
		return func(s ports.Stores) error { return s.Identities.Remove(t.Context(), i) }
	}, []event.Type{event.UserUnlinked}},
	"Grants.Set": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		user := w.newUser(t)
		return func(s ports.Stores) error {
			return errors.Join(
				s.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleTenantAdmin, TenantID: w.tenant.ID}),
				s.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID}),
				s.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleViewer, ProjectID: w.project.ID}),
				s.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleEditor, ProjectID: w.project.ID}))
		}
	}, slices.Repeat([]event.Type{event.MemberUpdated}, 4)},
	"Grants.Remove": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		g := core.Grant{UserID: w.newUser(t).ID, Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID}
		requireNoError(t, w.Grants.Set(t.Context(), g))
		return func(s ports.Stores) error { return s.Grants.Remove(t.Context(), g) }
	}, []event.Type{event.MemberRemoved}},
	"Sessions.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		session := w.session(t, 1)
		return func(s ports.Stores) error { return s.Sessions.Insert(t.Context(), session) }
	}, []event.Type{event.SessionCreated}},
	"TOTP.Confirm": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		userID := w.newUser(t).ID
		requireNoError(t, w.TOTP.Set(t.Context(), account.TOTP{UserID: userID, Secret: []byte("sealed"), CreatedAt: at(1)}))
		return func(s ports.Stores) error { return s.TOTP.Confirm(t.Context(), userID, 1) }
	}, []event.Type{event.FactorAdded}},
	"TOTP.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		userID := w.newUser(t).ID
		requireNoError(t, w.TOTP.Set(t.Context(), account.TOTP{UserID: userID, Secret: []byte("sealed"), CreatedAt: at(1)}))
		requireNoError(t, w.TOTP.Confirm(t.Context(), userID, 1))
		return func(s ports.Stores) error {
			return errors.Join(s.TOTP.Delete(t.Context(), userID), s.TOTP.Delete(t.Context(), userID))
		}
	}, []event.Type{event.FactorRemoved}},
	"Passkeys.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := newPasskey(w.newUser(t).ID)
		return func(s ports.Stores) error { return s.Passkeys.Insert(t.Context(), &p) }
	}, []event.Type{event.FactorAdded}},
	"Passkeys.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.insertPasskey(t, w.newUser(t).ID)
		return func(s ports.Stores) error { return s.Passkeys.Delete(t.Context(), p.UserID, p.ID) }
	}, []event.Type{event.FactorRemoved}},
	"Passkeys.DeleteByUser": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		userID := w.newUser(t).ID
		w.insertPasskey(t, userID)
		w.insertPasskey(t, userID)
		return func(s ports.Stores) error { return s.Passkeys.DeleteByUser(t.Context(), userID) }
	}, []event.Type{event.FactorRemoved, event.FactorRemoved}},
	"Recovery.Replace": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		userID := w.newUser(t).ID
		return func(s ports.Stores) error { return s.Recovery.Replace(t.Context(), userID, [][32]byte{{1}, {2}}) }
	}, []event.Type{event.RecoveryRenewed}},
	"Recovery.Use": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		userID := w.newUser(t).ID
		requireNoError(t, w.Recovery.Replace(t.Context(), userID, [][32]byte{{1}, {2}}))
		return func(s ports.Stores) error {
			for range 2 {
				if _, err := s.Recovery.Use(t.Context(), userID, [32]byte{1}); err != nil {
					return err
				}
			}
			return nil
		}
	}, []event.Type{event.RecoveryUsed}},
	"Sessions.Verify": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		session := w.session(t, 1)
		requireNoError(t, w.Sessions.Insert(t.Context(), session))
		return func(s ports.Stores) error {
			return s.Sessions.Verify(t.Context(), session.Hash, core.Proof{At: at(2), Way: core.WayPassword})
		}
	}, []event.Type{event.SessionVerified}},
	"Sessions.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		session := w.session(t, 1)
		requireNoError(t, w.Sessions.Insert(t.Context(), session))
		return func(s ports.Stores) error {
			return errors.Join(s.Sessions.Delete(t.Context(), session.Hash), s.Sessions.Delete(t.Context(), session.Hash))
		}
	}, []event.Type{event.SessionEnded}},
	"Sessions.DeleteByOrigin": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		session := w.session(t, 5)
		session.Origin = account.SessionOrigin{ProviderID: 7, SID: "of " + strconv.FormatInt(session.UserID, 10)}
		requireNoError(t, w.Sessions.Insert(t.Context(), session))
		return func(s ports.Stores) error { return s.Sessions.DeleteByOrigin(t.Context(), 7, session.Origin.SID) }
	}, []event.Type{event.SessionEnded}},
	"Sessions.DeleteByUser": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		first := w.session(t, 1)
		second := first
		second.Hash[0]++
		requireNoError(t, w.Sessions.Insert(t.Context(), first))
		requireNoError(t, w.Sessions.Insert(t.Context(), second))
		return func(s ports.Stores) error { return s.Sessions.DeleteByUser(t.Context(), first.UserID) }
	}, []event.Type{event.SessionEnded, event.SessionEnded}},
	"Tokens.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.Tokens.Insert(t.Context(), w.apiToken()) }
	}, []event.Type{event.TokenCreated}},
	"Tokens.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		token := w.apiToken()
		requireNoError(t, w.Tokens.Insert(t.Context(), token))
		revoked := *token
		revoked.RevokedAt = at(7)
		return func(s ports.Stores) error {
			return errors.Join(s.Tokens.Update(t.Context(), *token), s.Tokens.Update(t.Context(), revoked))
		}
	}, []event.Type{event.TokenUpdated, event.TokenRevoked}},
	"Webhooks.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Webhooks.Insert(t.Context(), &webhook.Webhook{ProjectID: w.project.ID, Secrets: []byte{1}, CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.WebhookCreated}},
	"Webhooks.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		hook := w.newWebhook(t)
		off := hook
		off.Active, off.OffReason = false, webhook.OffGone
		return func(s ports.Stores) error {
			return errors.Join(s.Webhooks.Update(t.Context(), hook), s.Webhooks.Update(t.Context(), off))
		}
	}, []event.Type{event.WebhookUpdated, event.WebhookOff}},
	"Webhooks.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		hook := w.newWebhook(t)
		return func(s ports.Stores) error { return s.Webhooks.Delete(t.Context(), hook.ProjectID, hook.ID) }
	}, []event.Type{event.WebhookDeleted}},
	"Releases.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Releases.Insert(t.Context(), &release.Release{ProjectID: w.project.ID, Name: "New", State: release.Open, CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.ReleaseCreated}},
	"Releases.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRelease(t, "One")
		return func(s ports.Stores) error { return s.Releases.Update(t.Context(), r) }
	}, []event.Type{event.ReleaseUpdated}},
	"Releases.SetState": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRelease(t, "One")
		return func(s ports.Stores) error {
			pending, failed, published, closed := r, r, r, r
			pending.State, failed.Fault, published.State, closed.State = release.Pending, "changed", release.Published, release.Closed
			return errors.Join(s.Releases.SetState(t.Context(), pending), s.Releases.SetState(t.Context(), failed),
				s.Releases.SetState(t.Context(), published), s.Releases.SetState(t.Context(), closed))
		}
	}, []event.Type{event.ReleaseUpdated, event.ReleaseFailed, event.ReleaseClosed}},
	"Releases.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRelease(t, "One")
		return func(s ports.Stores) error { return s.Releases.Delete(t.Context(), r.ProjectID, r.ID) }
	}, []event.Type{event.ReleaseDeleted}},
	"Releases.RemoveCollection": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRelease(t, "One")
		w.put(t, r, memberOf(1))
		return func(s ports.Stores) error { return s.Releases.RemoveCollection(t.Context(), r.ProjectID, 5) }
	}, []event.Type{event.ReleaseUpdated}},
	"Assistants.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		a := w.newAssistant(t, 7)
		return func(s ports.Stores) error { return s.Assistants.Insert(t.Context(), &a) }
	}, []event.Type{event.AssistantCreated}},
	"Assistants.Revoke": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		a := w.newAssistant(t, 8)
		requireNoError(t, w.Stores.Assistants.Insert(t.Context(), &a))
		a.RevokedAt = at(3)
		return func(s ports.Stores) error { return s.Assistants.Revoke(t.Context(), &a) }
	}, []event.Type{event.AssistantRevoked}},
	"Delegations.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		d := w.newDelegation(t)
		return func(s ports.Stores) error { return s.Delegations.Insert(t.Context(), &d) }
	}, []event.Type{event.DelegationCreated}},
	"Delegations.End": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		d := w.newDelegation(t)
		requireNoError(t, w.Stores.Delegations.Insert(t.Context(), &d))
		d.EndedAt = at(3)
		return func(s ports.Stores) error { return s.Delegations.End(t.Context(), &d) }
	}, []event.Type{event.DelegationEnded}},
	"Comments.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRequest(1)
		w.submit(t, &r)
		return func(s ports.Stores) error {
			c := newComment(&r, "New")
			return s.Comments.Insert(t.Context(), &r, &c)
		}
	}, []event.Type{event.CommentCreated}},
	"Comments.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRequest(1)
		w.submit(t, &r)
		c := w.comment(t, &r, "Old")
		return func(s ports.Stores) error {
			return errors.Join(s.Comments.Update(t.Context(), &r, &c, event.CommentUpdated), s.Comments.Update(t.Context(), &r, &c, event.CommentResolved),
				s.Comments.Update(t.Context(), &r, &c, event.CommentDeleted))
		}
	}, []event.Type{event.CommentUpdated, event.CommentResolved, event.CommentDeleted}},
	"Collections.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Collections.Insert(t.Context(), &core.Collection{ProjectID: w.project.ID, Slug: "new", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.CollectionCreated}},
	"Collections.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		c := newTestCollection(t, w, "articles").schema.Collection
		c.Version++
		return func(s ports.Stores) error { return s.Collections.Update(t.Context(), c) }
	}, []event.Type{event.CollectionUpdated}},
	"Collections.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		c := newTestCollection(t, w, "articles").schema.Collection
		return func(s ports.Stores) error { return s.Collections.Delete(t.Context(), w.project.ID, c.ID) }
	}, []event.Type{event.CollectionDeleted}},
	"Components.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Components.Insert(t.Context(), &core.Component{ProjectID: w.project.ID, Slug: "new", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)})
		}
	}, []event.Type{event.ComponentCreated}},
	"Components.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		c := w.newComponent(t, "hero")
		c.Version++
		return func(s ports.Stores) error { return s.Components.Update(t.Context(), c) }
	}, []event.Type{event.ComponentUpdated}},
	"Components.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		c := w.newComponent(t, "hero")
		return func(s ports.Stores) error { return s.Components.Delete(t.Context(), w.project.ID, c.ID) }
	}, []event.Type{event.ComponentDeleted}},
	"Entries.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		coll := newTestCollection(t, w, "articles", titleField())
		return func(s ports.Stores) error {
			e := publicOf("en", fields{"title": "a"})
			e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
			return s.Entries.Insert(t.Context(), coll.schema, &e)
		}
	}, []event.Type{event.EntryCreated, event.EntryPublished}},
	"Entries.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		coll := newTestCollection(t, w, "articles", titleField())
		e := coll.add(t, draftOf("en", fields{"title": "a"}))
		e.Version, e.UpdatedAt = 2, at(9)
		return func(s ports.Stores) error { return s.Entries.Update(t.Context(), coll.schema, &e) }
	}, []event.Type{event.EntryUpdated}},
	"Entries.Save": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		coll := newTestCollection(t, w, "articles", titleField())
		e := coll.add(t, draftOf("en", fields{"title": "a"}))
		e.Version, e.UpdatedAt = 2, at(9)
		id := result(w.Entries.NewIDs(t.Context(), 1))(t)[0]
		return func(s ports.Stores) error {
			added := draftOf("en", fields{"title": "b"})
			added.ID, added.Group, added.ProjectID, added.CollectionID = id, id, w.project.ID, coll.schema.Collection.ID
			return s.Entries.Save(t.Context(), coll.schema, []*core.Entry{&added}, []*core.Entry{&e})
		}
	}, []event.Type{event.EntryUpdated, event.EntryCreated}},
	"Entries.Destroy": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		coll := newTestCollection(t, w, "articles", titleField())
		e := coll.add(t, draftOf("en", fields{"title": "a"}))
		return func(s ports.Stores) error { return s.Entries.Destroy(t.Context(), coll.schema, e.ID, "") }
	}, []event.Type{event.EntryDestroyed}},
	"Media.Insert": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		item := newMedia(t, w)
		return func(s ports.Stores) error { return s.Media.Insert(t.Context(), &item) }
	}, []event.Type{event.MediaCreated}},
	"Media.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		item := newMedia(t, w)
		return func(s ports.Stores) error { return s.Media.Update(t.Context(), &item) }
	}, []event.Type{event.MediaUpdated}},
	"Media.Move": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		item := newMedia(t, w)
		return func(s ports.Stores) error {
			_, err := s.Media.Move(t.Context(), w.project.ID, []int64{item.ID}, "Press", at(9))
			return err
		}
	}, []event.Type{event.MediaUpdated}},
	"Media.Delete": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		item := newMedia(t, w)
		return func(s ports.Stores) error { return s.Media.Delete(t.Context(), w.project.ID, item.ID) }
	}, []event.Type{event.MediaDeleted}},
	"Media.Keep": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		item := newMedia(t, w)
		return func(s ports.Stores) error { return s.Media.Keep(t.Context(), w.project.ID, item.ID) }
	}, []event.Type{event.MediaDeleted}},
	"Workflows.Put": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return errors.Join(s.Workflows.Put(t.Context(), oneStep(review.Workflow{DepartmentID: w.department.ID})),
				s.Workflows.Put(t.Context(), oneStep(review.Workflow{ProjectID: w.project.ID})))
		}
	}, []event.Type{event.WorkflowUpdated, event.WorkflowUpdated}},
	"Workflows.Remove": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		requireNoError(t, w.Workflows.Put(t.Context(), oneStep(review.Workflow{ProjectID: w.project.ID})))
		return func(s ports.Stores) error {
			return s.Workflows.Remove(t.Context(), review.Workflow{ProjectID: w.project.ID})
		}
	}, []event.Type{event.WorkflowUpdated}},
	"Requests.Seal": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			r := w.newRequest(7)
			return w.trySubmit(t, s, &r)
		}
	}, []event.Type{event.RequestSubmitted}},
	"Requests.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		r := w.newRequest(7)
		w.submit(t, &r)
		var actions []*review.Action
		for _, kind := range []review.ActionType{
			review.ActionApprove, review.ActionReject, review.ActionRequestRevision, review.ActionWithdraw, review.ActionReschedule,
			review.ActionPublishNow, review.ActionPublish,
		} {
			actions = append(actions, actionOf(&r, kind))
		}
		r.Version++
		return func(s ports.Stores) error { return s.Requests.Update(t.Context(), &r, actions) }
	}, []event.Type{
		event.RequestApproved, event.RequestRejected, event.RequestRevisionRequested, event.RequestWithdrawn,
		event.RequestRescheduled, event.RequestPublished,
	}},
	"Schedules.Schedule": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.publication(t, 0)
		return func(s ports.Stores) error { return s.Schedules.Schedule(t.Context(), p) }
	}, []event.Type{event.PublicationScheduled}},
	"Schedules.Cancel": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.publication(t, 0)
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
		return func(s ports.Stores) error {
			return errors.Join(s.Schedules.Cancel(t.Context(), p.ProjectID, p.EntryID, schedule.Publish), s.Schedules.Cancel(t.Context(), p.ProjectID, p.EntryID, schedule.Publish))
		}
	}, []event.Type{event.PublicationUnscheduled}},
	"Schedules.CancelAll": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.publication(t, 0)
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
		return func(s ports.Stores) error {
			return errors.Join(s.Schedules.CancelAll(t.Context(), p.ProjectID, []int64{p.EntryID}, schedule.Publish), s.Schedules.CancelAll(t.Context(), p.ProjectID, nil, schedule.Publish))
		}
	}, []event.Type{event.PublicationUnscheduled}},
	"Events.Record": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error {
			return s.Events.Record(t.Context(), event.Event{Type: event.ProjectRepaired, ProjectID: w.project.ID})
		}
	}, []event.Type{event.ProjectRepaired}},
	"SigningKeys.Insert": {func(t *testing.T, _ *fixture) func(ports.Stores) error {
		return func(s ports.Stores) error { return s.SigningKeys.Insert(t.Context(), newSigningKey(1)) }
	}, []event.Type{event.KeyCreated}},
	"SigningKeys.Update": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		key := newSigningKey(1)
		requireNoError(t, w.SigningKeys.Insert(t.Context(), key))
		return func(s ports.Stores) error {
			ended := *key
			ended.Until = at(2)
			revoked := ended
			revoked.RevokedAt = at(3)
			return errors.Join(s.SigningKeys.Update(t.Context(), ended), s.SigningKeys.Update(t.Context(), revoked))
		}
	}, []event.Type{event.KeyEnded, event.KeyRevoked}},
	"Schedules.RecordFailure": {func(t *testing.T, w *fixture) func(ports.Stores) error {
		p := w.publication(t, 5)
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
		return func(s ports.Stores) error {
			return s.Schedules.RecordFailure(t.Context(), p, "a fault", time.Hour)
		}
	}, []event.Type{event.PublicationFailed}},
}

// unrecorded lists the other methods. They only read or lock, or change data that neither
// readers nor auditors see.
var unrecorded = []string{
	"Tenants.Tenants", "Tenants.Tenant", "Departments.Departments", "Departments.Department",
	"CustomRoles.CustomRoles", "CustomRoles.CustomRole", "CustomRoles.Holders",
	"Projects.Projects", "Projects.Project", "Projects.ProjectByUUID", "Projects.ProjectsByIDs", "Projects.Lock", "Projects.Hold", "Projects.TryHold",
	"Users.User", "Users.UsersByIDs", "Users.UserByEmail", "Users.Users", "Users.Candidates", "Users.Lock",
	"Grants.UserGrants", "Grants.Roles", "Grants.TenantMembers", "Grants.DepartmentMembers", "Grants.ProjectMembers",
	"Collections.Rename", "Components.Rename", // Update follows, and records it
	"Components.Components", "Webhooks.Webhooks", "Webhooks.Webhook", "Webhooks.Lock", "Webhooks.NoteFailing", // nothing that a user set
	"Outbox.Take", "Outbox.Hold", "Outbox.Events", "Outbox.Backlog",
	"Deliveries.Insert", "Deliveries.Gather", "Deliveries.Claim", "Deliveries.Record", "Deliveries.Waiting", // consequences of events
	"Notices.Insert", "Notices.Notices", "Notices.Count", "Notices.MarkRead", "Notices.Notice", "Notices.Blank",
	"Reminders.AnyDue", "Reminders.TakeDue",
	"Invitations.Invitations", "Invitations.Invitation", "Invitations.InvitationByHash", "Invitations.Lock", "Invitations.Open", "Invitations.OpenTo", // expired long ago
	"Providers.Providers", "Providers.Provider", "Providers.ProviderByID", "Providers.AnyOn", "Providers.Lock", "Domains.Claims", "Domains.Claim", "Domains.Due", "Domains.Checked", // nothing that a user set

	"Identities.Identity", "Identities.UserIdentities", "Identities.IdentitiesOf", "Identities.AnyOf", "Identities.SetGiven", // the roles are recorded
	"Links.Link", "Links.Take", "Links.Insert", "Links.Forget", // data of callers that are not signed in
	"Mails.Insert", "Mails.InsertLetter", "Mails.Claim", "Mails.Record", "Mails.Backlog", "Mails.Mailed",
	"DeliveryLog.Receivers", "DeliveryLog.Latest", "DeliveryLog.Deliveries", "DeliveryLog.Attempts", "DeliveryLog.Retry", "DeliveryLog.Park",
	"Sessions.Ask", "Sessions.Answer", // the decision is recorded
	"Sessions.Session", "Sessions.Sessions", // expired sessions
	"Tokens.Tokens", "Tokens.TokensOf", "Tokens.Token", "Tokens.TokenByHash", "Tokens.Lock", "Tokens.Touch", "Sessions.Touch", "Tokens.Usage", // not recorded per use
	"Collections.Collections", "Collections.Collection", "Collections.Related", "Collections.Hold",
	"Entries.List", "Entries.Count", "Entries.Published", "Entries.Serving", "Entries.Alternates", "Entries.Tally", "Entries.Referrers", "Entries.Entry",
	"Entries.Lock", "Entries.LockGroups", "Entries.TryLock", "Entries.Entries", "Entries.Translations", "Entries.Uses", "Entries.PublicReferrers", "Entries.GroupCollections", "Entries.Trash", "Entries.Walk", "Entries.Holders",
	"Entries.NewIDs", "Entries.Unsealed", "Entries.LockAll", "Entries.Moment",
	"Entries.SetRevision", "Entries.SetRevisions", "Revisions.Save", "Revisions.Delete", // recorded with the write of the entry
	"Entries.FewRows", "Deletions.Deletions", "Deletions.DeleteSome", // recorded when they began
	"LocaleFills.Unsettled", "LocaleFills.Take", "LocaleFills.Reach", "LocaleFills.Save", // readers see no change
	"Entries.Serve", "Entries.Reindex", // recorded by the change of the definition or of the workflow
	"Revisions.Revisions", "Revisions.Count", "Revisions.Prunable",
	"Media.MediaByIDs", "Media.MediaByFiles", "Media.Media", "Media.Folders", "Media.List", "Media.Count", "Media.Uses", "Media.SealedUses", "Media.Pictures", "Media.CountPictures",
	"Blobs.Hold", "Blobs.Release", "Blobs.Unheld", "Blobs.Forget", "Blobs.Lock", "Blobs.Reserve", "Blobs.Marks", // recorded as media events
	"Renditions.Put", "Renditions.Touch", "Renditions.RemoveUnused", "Renditions.RemoveOf", // readers see no change
	"Renditions.CountUsed", "Renditions.Unused", "Renditions.Recorded",
	"Workflows.DepartmentWorkflow", "Workflows.ProjectWorkflow", "Workflows.Governing",
	"Requests.Insert", // Seal, in the same transaction, records the events
	"Requests.Request", "Requests.EntryRequests", "Requests.Summaries", "Requests.Open", "Requests.Pending", "Requests.Actions", "Requests.Walk", "Requests.ByIDs",
	"Releases.Release", "Releases.Releases", "Releases.Count", "Releases.Lock", "Releases.Members", "Releases.Items", "Releases.Submitted", "Releases.Summaries", "Releases.Marks",
	"Releases.PutMembers", "Releases.RemoveMembers", "Releases.Seal", // recorded with the Update or SetState that follows
	"Releases.Mark", // data of one user
	"Comments.Comments", "Comments.Comment", "Comments.Hold", "Delegations.Delegations", "Delegations.Delegation", "Delegations.Hold",
	"Assistants.AssistantsOf", "Assistants.Assistant", "Assistants.AssistantByHash", "Assistants.Lock",
	"Publications.Contents", "Publications.Current", "Publications.Latest", "Publications.Walk", "Entries.ReleasesPublished", "Entries.Seeing",
	"Requests.ReleaseRequests", "Requests.OpenOf", "Requests.Items", "Requests.Members", "Requests.Version",
	"Requests.Inbox", "Requests.InboxCount", "Requests.InboxSummary",
	"Publications.Publications", "Publications.PublicationCount", "Publications.Publication", "Publications.PublicAt", "Publications.GroupsPublicAt", "Publications.NamesMedia", "Publications.FormerSlugs",
	"Publications.AddFormerSlugs",                          // recorded with Events.Record
	"Publications.DeleteExpired",                           // recorded when the publications began and ended
	"Media.PastMedia", "Media.Unnamed", "Media.DeleteKept", // recorded when the items left the library
	"Schedules.Scheduled", "Schedules.ScheduledRelease", "Schedules.Due", "Schedules.DueReleases", "Schedules.CancelRelease", "Schedules.NextDue", "Schedules.Schedules", "Schedules.Count", "Schedules.CountFailed", "Schedules.Done", "Clock.Now",
	"Idempotency.Begin", "Idempotency.TakeEffect", "Idempotency.Finish", "Idempotency.Abandon", // data of requests
	"SigningKeys.SigningKeys", "SigningKeys.Lock",
	"SigningKeys.SecretCheck", "SigningKeys.SetSecretCheck", // of the installation
	"Installation.Installation", "Holds.Keep", "Holds.End", "Holds.Held", // of the installation
	"Log.Mark", "Log.Digest", "Log.Public", "Entries.PublicPlaces", "Entries.PublicVersions", "Media.Following",
	"Events.Events", "Aging.Delete", "Overviews.Overview",
	"CustomRoles.Lock", "Grants.Reviewers", "Workflows.UsingRole",
	"SignIns.FailedSignIns", "SignIns.Add", "SignIns.Forget", // data of callers that are not signed in
	"Passkeys.Passkeys", "Passkeys.ByCredential", "Passkeys.Rename", "Passkeys.Use", // a name that only the user sees; uses are recorded as sessions
	"Previews.Preview", "Previews.Insert", "Previews.DeleteOf", // of a session, for minutes
	"Spent.Spend",                                                         // data of sign-ins
	"TOTP.TOTP", "Recovery.Count", "Recovery.Has", "TOTP.Set", "TOTP.Use", // nothing that counts, and data of sign-ins
	"Origins.Origins", "Origins.OriginsOf", "Origins.Save", // data of imports
	"Media.MediaByHash", "Entries.Titled", "Entries.Worded", "Requests.History", "Requests.HistoryCount", "Requests.OpenUsingRole", "Schedules.ScheduledOf",
	"IndexChecks.CheckEntries", "IndexChecks.CheckStrays", "IndexChecks.CheckTotals",
	"IndexChecks.RepairStrays", "IndexChecks.RepairTotals", // recorded with Events.Record
	"BlobChecks.Held", "BlobChecks.CheckHolders", "BlobChecks.RepairHolders", // recorded as media events
}

func knowsEveryMethod(t *testing.T) {
	all := reflect.TypeFor[ports.Stores]()
	for field := range all.NumField() {
		store := all.Field(field)
		for method := range store.Type.NumMethod() {
			name := store.Name + "." + store.Type.Method(method).Name
			if _, recorded := mutations[name]; recorded == slices.Contains(unrecorded, name) {
				t.Errorf("%s: say in mutations which events it records, or in unrecorded why none", name)
			}
		}
	}
}

var requestNumber atomic.Int64

// recorded runs work in a transaction of Ada and returns its events and its error.
func (w *fixture) recorded(t *testing.T, work func(s ports.Stores) error) ([]event.Event, error) {
	t.Helper()
	id := "request " + strconv.FormatInt(requestNumber.Add(1), 10)
	err := w.tx.Do(context.WithValue(t.Context(), ports.RequestIDKey{}, id), adaActor, inTx(work))
	return w.eventsOf(t, id), err
}

var (
	adaActor = core.Actor{User: &core.User{ID: 7, Name: "Ada"}}
	ada      = adaActor.Ref()
)

// eventsOf returns the events of a request id.
func (w *fixture) eventsOf(t *testing.T, id string) []event.Event {
	t.Helper()
	all := result(w.Events.Events(t.Context(), ports.EventQuery{Limit: 1 << 20}))(t)
	return slices.DeleteFunc(all, func(e event.Event) bool { return e.RequestID != id })
}

func types(events []event.Event) []event.Type {
	list := make([]event.Type, len(events))
	for i, e := range events {
		list[i] = e.Type
	}
	return list
}

func (m mutation) check(t *testing.T, w *fixture) {
	work := m.prepare(t, w)
	errAborted := errors.New("aborted")
	events, err := w.recorded(t, func(s ports.Stores) error { return errors.Join(work(s), errAborted) })
	if !errors.Is(err, errAborted) || err.Error() != errAborted.Error() {
		t.Fatalf("got %v, want only %v", err, errAborted)
	}
	assertEqual(t, types(events), []event.Type{})
	events, err = w.recorded(t, work)
	requireNoError(t, err)
	assertEqual(t, types(events), m.want)
	for _, e := range events {
		ofInstallation := slices.Contains([]event.Type{event.KeyCreated, event.KeyEnded, event.KeyRevoked}, e.Type)
		if e.Actor != ada || e.At.IsZero() || e.ID == 0 || (e.TenantID == 0) != ofInstallation {
			t.Errorf("event lacks tenant, actor, time or id: %+v", e)
		}
		if e.TenantID != w.tenant.ID && !ofInstallation && e.Type != event.TenantCreated && e.Type != event.TenantDeleted {
			t.Errorf("event of tenant %d, want %d", e.TenantID, w.tenant.ID)
		}
	}
}

func saysRoles(t *testing.T, w *fixture) {
	user, role := w.newUser(t), w.newRole(t)
	inProject := core.Grant{UserID: user.ID, Role: core.RoleEditor, ProjectID: w.project.ID}
	asViewer := inProject
	asViewer.Role = core.RoleViewer
	inDepartment := core.Grant{UserID: user.ID, Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID}
	inTenant := core.Grant{UserID: user.ID, Role: core.RoleTenantAdmin, TenantID: w.tenant.ID}
	for _, c := range []struct {
		change      func(ports.Stores) error
		role, place string
	}{
		{func(s ports.Stores) error { return s.Grants.Set(t.Context(), inProject) }, "editor", w.project.Name},
		{func(s ports.Stores) error { return s.Grants.Set(t.Context(), asViewer) }, "viewer", w.project.Name},
		{func(s ports.Stores) error { return s.Grants.Remove(t.Context(), inProject) }, "viewer", w.project.Name},
		{func(s ports.Stores) error { return s.Grants.Set(t.Context(), inDepartment) }, "department_admin", w.department.Name},
		{func(s ports.Stores) error { return s.Grants.Remove(t.Context(), inDepartment) }, "department_admin", w.department.Name},
		{func(s ports.Stores) error { return s.Grants.Set(t.Context(), inTenant) }, "tenant_admin", w.tenant.Name},
		{func(s ports.Stores) error { return s.Grants.Remove(t.Context(), inTenant) }, "tenant_admin", w.tenant.Name},
		{func(s ports.Stores) error { return s.CustomRoles.Assign(t.Context(), role.ID, user.ID) }, role.Name, w.department.Name},
		{func(s ports.Stores) error { return s.CustomRoles.Unassign(t.Context(), role.ID, user.ID) }, role.Name, w.department.Name},
	} {
		events, err := w.recorded(t, c.change)
		requireNoError(t, err)
		assertEqual(t, len(events), 1)
		assertEqual(t, []string{events[0].Role, events[0].Place}, []string{c.role, c.place})
	}
}

func keepsEvents(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	began := w.now(t)
	var e core.Entry
	events, err := w.recorded(t, func(s ports.Stores) error {
		e = publicOf("fr", fields{"title": "canary"})
		e.PublishedHash = strings.Repeat("ab", 32)
		e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
		return s.Entries.Insert(t.Context(), coll.schema, &e)
	})
	requireNoError(t, err)
	want := event.Event{
		Type: event.EntryCreated, Actor: ada, TenantID: w.tenant.ID, ProjectID: w.project.ID,
		Collection: "articles", EntryID: e.ID, Group: e.Group, Locale: "fr", RequestID: events[0].RequestID,
	}
	published := want
	published.Type, published.ContentHash, published.Public = event.EntryPublished, e.PublishedHash, true
	for i, want := range []event.Event{want, published} {
		if late := events[i].At.Sub(began); late < 0 || late > time.Minute {
			t.Errorf("at %v, %v after the write began", events[i].At, late)
		}
		want.ID, want.At = events[i].ID, events[i].At
		assertEqual(t, events[i], want)
	}
	r := w.newRequest(e.ID)
	events, err = w.recorded(t, func(s ports.Stores) error { return w.trySubmit(t, s, &r) })
	requireNoError(t, err)
	assertEqual(t, []string{events[0].ContentHash, events[0].ReleaseNumber, events[0].Locale}, []string{r.ContentHash(), r.ReleaseNumber(), r.Item().Locale})
	e.Version, e.TrashedAt, e.Reason = e.Version+1, at(22), "wrong figures"
	events, err = w.recorded(t, func(s ports.Stores) error { return s.Entries.Update(t.Context(), coll.schema, &e) })
	requireNoError(t, err)
	assertEqual(t, []string{events[0].ContentHash, events[0].Reason}, []string{e.PublishedHash, "wrong figures"})
	events, err = w.recorded(t, func(s ports.Stores) error { return s.Entries.Destroy(t.Context(), coll.schema, e.ID, "wrong figures") })
	requireNoError(t, err)
	assertEqual(t, []string{events[0].ContentHash, events[0].Reason}, []string{e.PublishedHash, "wrong figures"})
	item := newMedia(t, w)
	events, err = w.recorded(t, func(s ports.Stores) error { return s.Media.Update(t.Context(), &item) })
	requireNoError(t, err)
	assertEqual(t, events[0].SubjectID, item.ID)
}

func keepsImports(t *testing.T, w *fixture) {
	want := []core.Import{core.NoImport, core.OpenImport, core.QuietImport}
	done := &event.Imported{Counts: event.ImportCounts{Created: 1, Updated: 2, Unchanged: 3, Refused: 4}, Collections: []string{"articles", "pages"}}
	for _, by := range want {
		actor := adaActor
		actor.Import = by
		requireNoError(t, w.tx.Do(t.Context(), actor, inTx(func(s ports.Stores) error {
			return s.Events.Record(t.Context(), event.Event{Type: event.ImportFinished, ProjectID: w.project.ID, Imported: done})
		})))
	}
	events := result(w.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, Type: event.ImportFinished, Limit: 10}))(t)
	var got []core.Import
	for _, e := range events {
		got = append(got, e.Import)
		assertEqual(t, e.Imported, done)
		assertEqual(t, e.Public, false)
	}
	assertEqual(t, got, want)
}

func selectsEvents(t *testing.T, w *fixture) {
	before := w.now(t)
	first, err := w.recorded(t, func(s ports.Stores) error {
		return errors.Join(s.Projects.Update(t.Context(), w.project), s.Departments.Update(t.Context(), w.department))
	})
	requireNoError(t, err)
	second, err := w.recorded(t, func(s ports.Stores) error { return s.Projects.Update(t.Context(), w.project) })
	requireNoError(t, err)
	updates := []int64{first[0].ID, second[0].ID}
	claude := core.Actor{User: adaActor.User, Assistant: &core.Assistant{ID: 5, Name: "Claude"}}
	requireNoError(t, w.tx.Do(t.Context(), claude, inTx(func(s ports.Stores) error {
		return s.Events.Record(t.Context(), event.Event{Type: event.CommentCreated, ProjectID: w.project.ID, SubjectID: 1})
	})))
	assisted := result(w.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, Type: event.CommentCreated, Limit: 1}))(t)[0]
	for name, c := range map[string]struct {
		query ports.EventQuery
		want  []int64
	}{
		"project":    {ports.EventQuery{ProjectID: w.project.ID, Type: event.ProjectUpdated, Limit: 10}, updates},
		"after":      {ports.EventQuery{ProjectID: w.project.ID, After: updates[0], Limit: 10}, []int64{updates[1], assisted.ID}},
		"limit":      {ports.EventQuery{ProjectID: w.project.ID, Type: event.ProjectUpdated, Limit: 1}, updates[:1]},
		"newest":     {ports.EventQuery{ProjectID: w.project.ID, Newest: true, Limit: 1}, []int64{assisted.ID}},
		"older":      {ports.EventQuery{ProjectID: w.project.ID, Type: event.ProjectUpdated, Newest: true, After: updates[1], Limit: 10}, updates[:1]},
		"tenant":     {ports.EventQuery{TenantID: w.tenant.ID, Type: event.DepartmentUpdated, Limit: 10}, []int64{first[1].ID}},
		"actor":      {ports.EventQuery{ProjectID: w.project.ID, Actor: ada, Limit: 10}, updates},
		"others":     {ports.EventQuery{ProjectID: w.project.ID, Actor: core.ActorRef{Kind: "token", ID: ada.ID}, Limit: 10}, nil},
		"since":      {ports.EventQuery{ProjectID: w.project.ID, Actor: ada, Since: before, Limit: 10}, updates},
		"until":      {ports.EventQuery{ProjectID: w.project.ID, Actor: ada, Until: before, Limit: 10}, nil},
		"assistants": {ports.EventQuery{ProjectID: w.project.ID, Assistants: true, Limit: 10}, []int64{assisted.ID}},
		"an entry":   {ports.EventQuery{ProjectID: w.project.ID, EntryID: 1 << 40, Limit: 10}, nil},
	} {
		got := result(w.Events.Events(t.Context(), c.query))(t)
		if !slices.Equal(ids(got, func(e event.Event) int64 { return e.ID }), c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// removesOldest uses a database of its own, because it deletes all events.
func removesOldest(t *testing.T, open Factory) {
	stores, _ := open(t)
	for range 5 {
		requireNoError(t, stores.Tenants.Insert(t.Context(), &core.Tenant{Name: "T", CreatedAt: at(1), UpdatedAt: at(1)}))
	}
	kept := func() []int64 {
		all := result(stores.Events.Events(t.Context(), ports.EventQuery{Limit: 10}))(t)
		return ids(all, func(e event.Event) int64 { return e.ID })
	}
	all := kept()
	now := result(stores.Clock.Now(t.Context()))(t)
	for _, step := range []struct {
		before      time.Time
		limit, gone int
		rest        []int64
	}{
		{now.Add(-time.Hour), 10, 0, all},
		{now.Add(time.Hour), 2, 2, all[2:]},
		{now.Add(time.Hour), 10, 3, nil},
		{now.Add(time.Hour), 10, 0, nil},
	} {
		assertEqual(t, result(stores.Aging.Delete(t.Context(), ports.AgedEvents, step.before, step.limit))(t), step.gone)
		assertEqual(t, kept(), step.rest)
	}
}

func recordsBatch(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	const size = 1200
	events, err := w.recorded(t, func(s ports.Stores) error {
		var batch []*core.Entry
		for _, id := range result(s.Entries.NewIDs(t.Context(), size))(t) {
			e := draftOf("en", fields{"title": "a"})
			e.ID, e.Group, e.ProjectID, e.CollectionID = id, id, w.project.ID, coll.schema.Collection.ID
			batch = append(batch, &e)
		}
		return s.Entries.Save(t.Context(), coll.schema, batch, nil)
	})
	requireNoError(t, err)
	assertEqual(t, len(events), size)
	for i := 1; i < len(events); i++ {
		if events[i].EntryID <= events[i-1].EntryID {
			t.Fatal("the order of events differs from that of entries")
		}
	}
}

func recordsNoChange(t *testing.T, w *fixture) {
	given := core.Grant{UserID: w.newUser(t).ID, Role: core.RoleEditor, ProjectID: w.project.ID}
	requireNoError(t, w.Grants.Set(t.Context(), given))
	events, err := w.recorded(t, func(s ports.Stores) error {
		_, err := s.Projects.Project(t.Context(), w.project.ID)
		return errors.Join(err, s.Grants.Set(t.Context(), given), s.Sessions.Delete(t.Context(), [32]byte{1}), s.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Publish))
	})
	requireNoError(t, err)
	assertEqual(t, types(events), []event.Type{})
}

func recordsEntryChanges(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "a"}))
	for _, step := range []struct {
		change func()
		want   []event.Type
	}{
		{func() { publish(&e) }, []event.Type{event.EntryPublished}},
		{func() { e.Draft, e.UpdatedAt = doc(fields{"title": "b"}), at(20) }, []event.Type{event.EntryUpdated}},
		{func() { e.Published, e.ReleasedAt = e.Draft, at(21) }, []event.Type{event.EntryPublished}},
		{func() { e.TrashedAt = at(22) }, []event.Type{event.EntryTrashed}},
		{func() { e.TrashedAt = time.Time{} }, []event.Type{event.EntryRestored}},
		{func() { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} }, []event.Type{event.EntryUnpublished}},
		{func() { e.Draft = doc(fields{"title": "c"}) }, []event.Type{event.EntryUpdated}},
	} {
		step.change()
		e.Version++
		events, err := w.recorded(t, func(s ports.Stores) error { return s.Entries.Update(t.Context(), coll.schema, &e) })
		requireNoError(t, err)
		assertEqual(t, types(events), step.want)
	}
}

func recordsOutside(t *testing.T, w *fixture) {
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
	events := result(w.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, Type: event.ProjectUpdated, Limit: 10}))(t)
	assertEqual(t, len(events), 1)
	assertEqual(t, events[0].Actor, core.SystemActor.Ref())
}

func ascends(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "a"}))
	race(8, func(int) error {
		return w.do(t, func(ctx context.Context, s ports.Stores) error {
			next, err := s.Entries.Lock(ctx, w.project.ID, e.ID)
			if err != nil {
				return err
			}
			next.Version++
			next.Locale = ""
			next.UpdatedBy = next.Version
			return s.Entries.Update(ctx, coll.schema, &next)
		})
	})
	events := result(w.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, EntryID: e.ID, Limit: 100}))(t)
	assertEqual(t, len(events), 9)
	assertEqual(t, events[0].Type, event.EntryCreated)
}

func (w *fixture) role() *core.CustomRole {
	return &core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: "Legal", CreatedAt: at(1)}
}

func (w *fixture) newRole(t *testing.T) *core.CustomRole {
	t.Helper()
	role := w.role()
	requireNoError(t, w.CustomRoles.Insert(t.Context(), role))
	return role
}

func (w *fixture) session(t *testing.T, n byte) account.Session {
	t.Helper()
	user := w.newUser(t)
	return account.Session{Hash: [32]byte{n, byte(user.ID), byte(user.ID >> 8), 'e'}, UserID: user.ID, CreatedAt: at(1), ExpiresAt: at(2)}
}

func (w *fixture) apiToken() *core.Token {
	return &core.Token{
		ProjectID: w.project.ID, Name: "t", Hash: [32]byte{'e', byte(w.project.ID), byte(w.project.ID >> 8)},
		Abilities: []core.Ability{core.AbilityRead}, CreatedAt: at(1),
	}
}

func (w *fixture) publication(t *testing.T, requestID int64) schedule.Schedule {
	t.Helper()
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "a"}))
	return schedule.Schedule{
		ProjectID: w.project.ID, EntryID: e.ID, Action: schedule.Publish, CollectionID: e.CollectionID, RequestID: requestID,
		DueAt: at(1 << 30), RetryAt: at(1 << 30), ScheduledBy: ada,
	}
}
