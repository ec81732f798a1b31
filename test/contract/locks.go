package contract

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/installation"
	"imprimatur/core/release"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// lockedRow is a row with a number. A transaction that changes the row locks it, reads it, and writes it.
type lockedRow struct {
	lock   func(ctx context.Context, s ports.Stores) error
	add    func(ctx context.Context, s ports.Stores) error // reads the row, and writes it with a number higher by one
	number func(ctx context.Context, s ports.Stores) (int, error)
}

// step locks the row and adds one to its number.
func (r lockedRow) step(ctx context.Context, s ports.Stores) error {
	if err := r.lock(ctx, s); err != nil {
		return err
	}
	return r.add(ctx, s)
}

// rowWith returns a lockedRow with a text for its number, which is 0 while the text is not a number.
func rowWith[T any](
	lock func(context.Context, ports.Stores) error, read func(context.Context, ports.Stores) (T, error), text func(*T) *string,
	write func(context.Context, ports.Stores, T) error,
) lockedRow {
	number := func(row *T) int {
		n, err := strconv.Atoi(*text(row))
		if err != nil {
			return 0
		}
		return n
	}
	return lockedRow{
		lock: lock,
		add: func(ctx context.Context, s ports.Stores) error {
			row, err := read(ctx, s)
			if err != nil {
				return err
			}
			*text(&row) = strconv.Itoa(number(&row) + 1)
			return write(ctx, s, row)
		},
		number: func(ctx context.Context, s ports.Stores) (int, error) {
			row, err := read(ctx, s)
			return number(&row), err
		},
	}
}

// lockedRows makes a row of each store with locks.
var lockedRows = map[string]func(t *testing.T, w *fixture) lockedRow{
	"Users": func(t *testing.T, w *fixture) lockedRow {
		id := w.newUser(t).ID
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Users.Lock(ctx, id) },
			func(ctx context.Context, s ports.Stores) (core.User, error) { return s.Users.User(ctx, id) },
			func(u *core.User) *string { return &u.Name },
			func(ctx context.Context, s ports.Stores, u core.User) error { return s.Users.Update(ctx, u) },
		)
	},
	"Projects": func(_ *testing.T, w *fixture) lockedRow {
		id := w.project.ID
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Projects.Lock(ctx, id) },
			func(ctx context.Context, s ports.Stores) (*core.Project, error) { return s.Projects.Project(ctx, id) },
			func(p **core.Project) *string { return &(*p).Name },
			func(ctx context.Context, s ports.Stores, p *core.Project) error { return s.Projects.Update(ctx, p) },
		)
	},
	"CustomRoles": func(t *testing.T, w *fixture) lockedRow {
		r := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: uuid.NewString(), CreatedAt: at(1)}
		requireNoError(t, w.CustomRoles.Insert(t.Context(), &r))
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.CustomRoles.Lock(ctx, r.ID) },
			func(ctx context.Context, s ports.Stores) (core.CustomRole, error) {
				return s.CustomRoles.CustomRole(ctx, r.ID)
			},
			func(r *core.CustomRole) *string { return &r.Name },
			func(ctx context.Context, s ports.Stores, r core.CustomRole) error {
				return s.CustomRoles.Update(ctx, r)
			},
		)
	},
	"Tokens": func(t *testing.T, w *fixture) lockedRow {
		k := core.Token{ProjectID: w.project.ID, Name: "Site", Hash: newHash(), CreatedAt: at(1)}
		requireNoError(t, w.Tokens.Insert(t.Context(), &k))
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Tokens.Lock(ctx, k.ProjectID, k.ID) },
			func(ctx context.Context, s ports.Stores) (core.Token, error) {
				return s.Tokens.Token(ctx, k.ProjectID, k.ID)
			},
			func(k *core.Token) *string { return &k.Name },
			func(ctx context.Context, s ports.Stores, k core.Token) error { return s.Tokens.Update(ctx, k) },
		)
	},
	"Providers": func(t *testing.T, w *fixture) lockedRow {
		id := w.provider(t)
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Providers.Lock(ctx, w.tenant.ID, id) },
			func(ctx context.Context, s ports.Stores) (account.IdentityProvider, error) {
				return s.Providers.Provider(ctx, w.tenant.ID, id)
			},
			func(p *account.IdentityProvider) *string { return &p.Name },
			func(ctx context.Context, s ports.Stores, p account.IdentityProvider) error {
				return s.Providers.Update(ctx, p)
			},
		)
	},
	"Webhooks": func(t *testing.T, w *fixture) lockedRow {
		hook := newWebhookRow(w)
		requireNoError(t, w.Webhooks.Insert(t.Context(), hook))
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Webhooks.Lock(ctx, hook.ProjectID, hook.ID) },
			func(ctx context.Context, s ports.Stores) (webhook.Webhook, error) {
				return s.Webhooks.Webhook(ctx, hook.ProjectID, hook.ID)
			},
			func(h *webhook.Webhook) *string { return &h.Name },
			func(ctx context.Context, s ports.Stores, h webhook.Webhook) error { return s.Webhooks.Update(ctx, h) },
		)
	},
	"Releases": func(t *testing.T, w *fixture) lockedRow {
		id := w.newRelease(t, "Spring").ID
		return rowWith(
			func(ctx context.Context, s ports.Stores) error {
				return errorOf(s.Releases.Lock(ctx, w.project.ID, id))
			},
			func(ctx context.Context, s ports.Stores) (release.Release, error) {
				return s.Releases.Release(ctx, w.project.ID, id)
			},
			func(r *release.Release) *string { return &r.Name },
			func(ctx context.Context, s ports.Stores, r release.Release) error { return s.Releases.Update(ctx, r) },
		)
	},
	"Collections": func(t *testing.T, w *fixture) lockedRow {
		c := w.lockedCollection(t)
		return rowWith(
			func(ctx context.Context, s ports.Stores) error { return s.Projects.Lock(ctx, c.ProjectID) },
			func(ctx context.Context, s ports.Stores) (*core.Collection, error) {
				return s.Collections.Collection(ctx, c.ProjectID, c.ID)
			},
			func(c **core.Collection) *string { return &(*c).Name },
			func(ctx context.Context, s ports.Stores, c *core.Collection) error {
				c.Version++
				return s.Collections.Update(ctx, c)
			},
		)
	},
	"Entries": func(t *testing.T, w *fixture) lockedRow {
		c := w.lockedCollection(t)
		e := core.Entry{
			ProjectID: w.project.ID, CollectionID: c.ID, Locale: "en", Version: 1, Draft: doc(nil), CreatedAt: at(1), UpdatedAt: at(1),
		}
		requireNoError(t, w.Entries.Insert(t.Context(), core.Schema{Project: w.project, Collection: c}, &e))
		return rowWith(
			func(ctx context.Context, s ports.Stores) error {
				return errorOf(s.Entries.Lock(ctx, e.ProjectID, e.ID))
			},
			func(ctx context.Context, s ports.Stores) (string, error) {
				stored, err := s.Entries.Entry(ctx, e.ProjectID, e.ID)
				return string(stored.Revision), err
			},
			func(revision *string) *string { return revision },
			func(ctx context.Context, s ports.Stores, revision string) error {
				return s.Entries.SetRevision(ctx, e.ProjectID, e.ID, core.Document(revision))
			},
		)
	},
	"SigningKeys": func(t *testing.T, w *fixture) lockedRow {
		k := installation.SigningKey{Fingerprint: fmt.Sprint(w.project.ID), Installation: "i", Public: []byte("public"), From: at(1)}
		requireNoError(t, w.SigningKeys.Insert(t.Context(), &k))
		read := func(ctx context.Context, s ports.Stores) (installation.SigningKey, error) {
			all, err := s.SigningKeys.SigningKeys(ctx)
			if err != nil {
				return k, err
			}
			return all[slices.IndexFunc(all, func(other installation.SigningKey) bool { return other.ID == k.ID })], nil
		}
		return lockedRow{
			lock: func(ctx context.Context, s ports.Stores) error { return s.SigningKeys.Lock(ctx) },
			add: func(ctx context.Context, s ports.Stores) error {
				k, err := read(ctx, s)
				if err != nil {
					return err
				}
				k.Private = append(k.Private, 'x')
				return s.SigningKeys.Update(ctx, k)
			},
			number: func(ctx context.Context, s ports.Stores) (int, error) {
				k, err := read(ctx, s)
				return len(k.Private), err
			},
		}
	},
	"Invitations": func(t *testing.T, w *fixture) lockedRow {
		i := w.newInvitation(t, w.newUser(t).ID)
		return lockedRow{
			lock: func(ctx context.Context, s ports.Stores) error { return s.Invitations.Lock(ctx, i.ID) },
			add: func(ctx context.Context, s ports.Stores) error {
				next, err := s.Invitations.Invitation(ctx, i.ID)
				if err != nil {
					return err
				}
				next.ExpiresAt = next.ExpiresAt.Add(time.Second)
				return s.Invitations.Update(ctx, next)
			},
			number: func(ctx context.Context, s ports.Stores) (int, error) {
				stored, err := s.Invitations.Invitation(ctx, i.ID)
				return int(stored.ExpiresAt.Sub(i.ExpiresAt) / time.Second), err
			},
		}
	},
}

func (w *fixture) lockedCollection(t *testing.T) *core.Collection {
	t.Helper()
	c := &core.Collection{ProjectID: w.project.ID, Slug: "notes", Name: "Notes", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, w.Collections.Insert(t.Context(), c))
	return c
}

// locksElsewhere are the stores with locks of which other suites say what they do.
var locksElsewhere = map[string]string{
	"Assistants": "an assistant is only revoked, once: Assistants", "Delegations": "a delegation is only ended, once: Delegations",
	"Comments": "the lock is that of the request: Comments", "Outbox": "shares the locks of webhooks: Deliveries",
	"Blobs": "counts without a read: Blobs",
}

// Locks tests that a transaction with the lock of a row changes what it has read: others wait for the lock.
func Locks(t *testing.T, open Factory) {
	all := cases{"knows all stores with locks": knowsLocks}
	for name, newRow := range lockedRows {
		all["lets transactions wait, "+name] = func(t *testing.T, w *fixture) {
			const transactions = 6
			row := newRow(t, w)
			for _, err := range race(transactions, func(int) error { return w.tx.Do(t.Context(), core.SystemActor, row.step) }).failures {
				t.Error(err)
			}
			assertEqual(t, result(row.number(t.Context(), w.Stores))(t), transactions)
		}
	}
	run(t, open, all)
}

// NeedLocks tests that a transaction fails that changes a row without its lock. Databases do not notice it.
func NeedLocks(t *testing.T, open Factory) {
	all := cases{}
	for name, newRow := range lockedRows {
		all[name] = func(t *testing.T, w *fixture) {
			row, other := newRow(t, w), newRow(t, w.otherProject(t))
			if w.do(t, row.add) == nil {
				t.Error("a change without a lock was accepted")
			}
			if name != "SigningKeys" && w.do(t, func(ctx context.Context, s ports.Stores) error {
				requireNoError(t, other.lock(ctx, s))
				return row.add(ctx, s)
			}) == nil {
				t.Error("a change with the lock of another row was accepted")
			}
			assertEqual(t, result(row.number(t.Context(), w.Stores))(t), 0)
			requireNoError(t, w.do(t, row.step))
			assertEqual(t, result(row.number(t.Context(), w.Stores))(t), 1)
		}
	}
	run(t, open, all)
}

// knowsLocks fails for a new store with locks until lockedRows or locksElsewhere has it.
func knowsLocks(t *testing.T, _ *fixture) {
	known := slices.Concat(slices.Collect(maps.Keys(lockedRows)), slices.Collect(maps.Keys(locksElsewhere)))
	for _, store := range reflect.VisibleFields(reflect.TypeFor[ports.Stores]()) {
		for _, method := range []string{"Lock", "Hold"} {
			if m, ok := store.Type.MethodByName(method); ok && m.Type.NumIn() > 0 && !slices.Contains(known, store.Name) {
				t.Errorf("add a row of %s to lockedRows, or say in locksElsewhere what tests its %s", store.Name, method)
			}
		}
	}
}
