package identity_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/memory"
	"imprimatur/adapters/password"
	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// manualClock is a clock that the test sets.
type manualClock struct{ now time.Time }

func (c *manualClock) Now() time.Time       { return c.now }
func (c *manualClock) pass(d time.Duration) { c.now = c.now.Add(d) }

// fixture is a tenant with an admin and the people of one Project, on real in-process adapters.
type fixture struct {
	clock  *manualClock
	stores ports.Stores
	tx     ports.Tx
	secret secret.Key

	authenticator *access.Authenticator
	organisation  *access.Organisation
	members       *access.Members
	users         *access.Users
	sessions      *identity.Sessions
	passwords     *identity.Passwords
	factors       *identity.Factors
	passkeys      *identity.Passkeys
	apps          *identity.Apps

	meridian  core.Tenant
	newsroom  core.Department
	worldDesk *core.Project
	legalRole core.CustomRole
	people    map[string]int64
}

var (
	passkeys = webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"})
	system   = core.Actor{System: true}
	// right is the password of every user.
	right = "correct horse battery"
)

// aheadOf is a clock that is ahead of another.
type aheadOf struct {
	clock *manualClock
	by    time.Duration
}

func (a aheadOf) Now() time.Time { return a.clock.Now().Add(a.by) }

func setup(t testing.TB) *fixture { return setupAhead(t, 0) }

// setupAhead returns a fixture whose database is ahead of the process.
func setupAhead(t testing.TB, by time.Duration) *fixture {
	t.Helper()
	clock := &manualClock{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	store, changes := memory.NewAt(aheadOf{clock, by}), changefeed.NewLocal()
	store.OnCommit(changes.Committed)
	stores := store.Stores()
	w := &fixture{clock: clock, stores: stores, tx: store, secret: secret.New(), people: map[string]int64{}}
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	w.authenticator = access.NewAuthenticator(cache.NewCredentials(stores, changes), clock, access.NewUsage(stores.Tokens, stores.Sessions, clock))
	w.organisation = access.NewOrganisation(stores, store, clock)
	w.members = access.NewMembers(stores, store)
	w.users = access.NewUsers(stores, store, hasher, clock, letter.Post{})
	w.sessions = identity.NewSessions(stores, store, hasher, clock, w.secret, passkeys)
	w.factors = identity.NewFactors(stores, store, access.Standing{}, clock)
	w.apps = identity.NewApps(w.factors, w.secret)
	w.passkeys = identity.NewPasskeys(stores, w.factors, clock, w.secret, passkeys)
	w.passwords = identity.NewPasswords(stores, store, hasher, access.Standing{}, clock)
	w.createPeople(t)
	return w
}

// createPeople creates the tenant and a user of each role, and "legal" with a custom role.
func (w *fixture) createPeople(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	w.meridian = must(w.organisation.CreateTenant(ctx, system, "Meridian"))(t)
	w.newsroom = must(w.organisation.CreateDepartment(ctx, system, w.meridian.ID, "Newsroom"))(t)
	w.legalRole = must(w.organisation.CreateCustomRole(ctx, system, w.newsroom, "Legal"))(t)
	w.worldDesk = must(w.organisation.CreateProject(ctx, system, w.meridian.ID, access.ProjectInput{Name: "World Desk", DepartmentID: &w.newsroom.ID}))(t)
	place := access.Place{Tenant: w.meridian, Department: w.newsroom, Project: w.worldDesk}
	for name, role := range map[string]core.Role{
		"super": core.RoleSuperAdmin, "tenant": core.RoleTenantAdmin, "project": core.RoleAdmin, "editor": core.RoleEditor, "viewer": core.RoleViewer, "legal": "",
	} {
		user := must(w.users.Create(ctx, system, w.meridian.ID, access.UserInput{
			Email: name + "@example.org", Name: name, Password: right, SuperAdmin: role == core.RoleSuperAdmin,
		}))(t)
		w.people[name] = user.ID
		switch role {
		case core.RoleSuperAdmin, "":
		case core.RoleTenantAdmin:
			must(w.members.Set(ctx, system, access.ScopeTenant, place, user.ID, role))(t)
		default:
			must(w.members.Set(ctx, system, access.ScopeProject, place, user.ID, role))(t)
		}
	}
	ok(t, w.organisation.GiveRole(ctx, system, w.newsroom, w.legalRole.ID, w.people["legal"]))
}

// actor returns a user with the current roles.
func (w *fixture) actor(t testing.TB, name string) core.Actor {
	t.Helper()
	user := must(w.stores.Users.User(t.Context(), w.people[name]))(t)
	grants, roles, err := w.stores.Grants.UserGrants(t.Context(), user.ID)
	ok(t, err)
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles}
}

// signIn returns the id of a new session.
func (w *fixture) signIn(t testing.TB, name string) string {
	t.Helper()
	in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: name + "@example.org", Password: right, Client: identity.Client{Address: "192.0.2.1"}})
	ok(t, err)
	return in.Session
}

// open reports whether the session is valid.
func (w *fixture) open(ctx context.Context, id string) bool {
	_, err := w.authenticator.Session(ctx, id, account.Exempt{})
	return err == nil
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must requires success of a call; use it as must(call())(t).
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

// wantKind fails unless err is of the kind; core.KindInternal means no error.
func wantKind(t testing.TB, err error, want core.Kind) {
	t.Helper()
	if err == nil && want == core.KindInternal {
		return
	}
	if err == nil || core.KindOf(err) != want || want == core.KindInternal {
		t.Errorf("error = %v (kind %d), want kind %d", err, core.KindOf(err), want)
	}
}

// wantFaults fails unless err has exactly these error locations.
func wantFaults(t testing.TB, err error, locations ...string) {
	t.Helper()
	if len(locations) == 0 {
		ok(t, err)
		return
	}
	wantKind(t, err, core.KindInvalid)
	var got []string
	for _, fault := range asError(t, err).Fields {
		got = append(got, fault.Location)
	}
	if !slices.Equal(got, locations) {
		t.Errorf("error locations %q, want %q", got, locations)
	}
}

func ptr[T any](value T) *T { return &value }

func asError(t testing.TB, err error) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not a *core.Error", err)
	}
	return e
}
