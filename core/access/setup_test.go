package access_test

import (
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
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// manualClock is a clock that the test sets.
type manualClock struct{ now time.Time }

func (c *manualClock) Now() time.Time       { return c.now }
func (c *manualClock) pass(d time.Duration) { c.now = c.now.Add(d) }

// fixture is the organisation of the tests, on real in-process adapters:
//
//	Meridian: Newsroom (World Desk), Marketing (Blog), and Archive without a department
//	Elsewhere: Studio (Film)
type fixture struct {
	clock  *manualClock
	stores ports.Stores
	tx     ports.Tx
	secret secret.Key

	authorizer    *access.Authorizer
	authenticator *access.Authenticator
	usage         *access.Usage
	sessions      *identity.Sessions
	passwords     *identity.Passwords
	tokens        *access.Tokens
	organisation  *access.Organisation
	members       *access.Members
	users         *access.Users

	meridian, elsewhere            core.Tenant
	newsroom, marketing, studio    core.Department
	worldDesk, blog, archive, film *core.Project
	legalRole                      core.CustomRole
	people                         map[string]int64
}

var (
	system = core.Actor{System: true}
	// right is the password of every user.
	right = "correct horse battery"
)

func setup(t testing.TB) *fixture {
	t.Helper()
	clock := &manualClock{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	store, changes := memory.NewAt(clock), changefeed.NewLocal()
	store.OnCommit(changes.Committed)
	stores := store.Stores()
	w := &fixture{
		clock: clock, stores: stores, tx: store, usage: access.NewUsage(stores.Tokens, stores.Sessions, clock), people: map[string]int64{},
	}
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	w.authorizer = access.NewAuthorizer(stores.Tenants, stores.Departments, cache.NewSchemas(stores, changes))
	w.authenticator = access.NewAuthenticator(cache.NewCredentials(stores, changes), w.clock, w.usage)
	w.secret = secret.New()
	w.sessions = identity.NewSessions(stores, store, hasher, w.clock, w.secret, webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"}))
	w.tokens = access.NewTokens(stores.Tokens, store, w.clock, w.usage)
	w.organisation = access.NewOrganisation(stores, store, w.clock)
	w.members = access.NewMembers(stores, store)
	w.users = access.NewUsers(stores, store, hasher, w.clock, letter.Post{})
	w.passwords = identity.NewPasswords(stores, store, hasher, access.Standing{}, w.clock)
	w.createOrganisation(t)
	w.createUsers(t)
	return w
}

// createOrganisation creates tenants, departments, roles and projects.
func (w *fixture) createOrganisation(t testing.TB) {
	t.Helper()
	ctx, o := t.Context(), w.organisation
	w.meridian = must(o.CreateTenant(ctx, core.Actor{System: true}, "Meridian"))(t)
	w.elsewhere = must(o.CreateTenant(ctx, core.Actor{System: true}, "Elsewhere"))(t)
	w.newsroom = must(o.CreateDepartment(ctx, core.Actor{System: true}, w.meridian.ID, "Newsroom"))(t)
	w.marketing = must(o.CreateDepartment(ctx, core.Actor{System: true}, w.meridian.ID, "Marketing"))(t)
	w.studio = must(o.CreateDepartment(ctx, core.Actor{System: true}, w.elsewhere.ID, "Studio"))(t)
	w.legalRole = must(o.CreateCustomRole(ctx, core.Actor{System: true}, w.newsroom, "Legal"))(t)
	w.worldDesk = must(o.CreateProject(ctx, core.Actor{System: true}, w.meridian.ID, access.ProjectInput{Name: "World Desk", DepartmentID: &w.newsroom.ID}))(t)
	w.blog = must(o.CreateProject(ctx, core.Actor{System: true}, w.meridian.ID, access.ProjectInput{Name: "Blog", DepartmentID: &w.marketing.ID}))(t)
	w.archive = must(o.CreateProject(ctx, core.Actor{System: true}, w.meridian.ID, access.ProjectInput{Name: "Archive"}))(t)
	w.film = must(o.CreateProject(ctx, core.Actor{System: true}, w.elsewhere.ID, access.ProjectInput{Name: "Film", DepartmentID: &w.studio.ID}))(t)
}

// createUsers creates one user of each kind; "super" and "outsider" belong to the platform.
func (w *fixture) createUsers(t testing.TB) {
	t.Helper()
	for _, person := range []struct {
		name   string
		tenant core.Tenant
		scope  access.Scope
		place  access.Place
		role   core.Role
	}{
		{name: "super"},
		{"tenant", w.meridian, access.ScopeTenant, inTenant(w.meridian), core.RoleTenantAdmin},
		{"department", w.meridian, access.ScopeDepartment, inDepartment(w.newsroom), core.RoleDepartmentAdmin},
		{"project", w.meridian, access.ScopeProject, inProject(w.worldDesk), core.RoleAdmin},
		{"editor", w.meridian, access.ScopeProject, inProject(w.worldDesk), core.RoleEditor},
		{"viewer", w.meridian, access.ScopeProject, inProject(w.worldDesk), core.RoleViewer},
		{"archivist", w.meridian, access.ScopeProject, inProject(w.archive), core.RoleAdmin},
		{"blogger", w.meridian, access.ScopeProject, inProject(w.blog), core.RoleAdmin},
		{name: "legal", tenant: w.meridian},
		{name: "outsider"},
		{"neighbour", w.elsewhere, access.ScopeTenant, inTenant(w.elsewhere), core.RoleTenantAdmin},
	} {
		user := must(w.users.Create(t.Context(), system, person.tenant.ID, access.UserInput{
			Email: person.name + "@example.org", Name: person.name, Password: right, SuperAdmin: person.name == "super",
		}))(t)
		w.people[person.name] = user.ID
		if person.role != "" {
			must(w.members.Set(t.Context(), system, person.scope, person.place, user.ID, person.role))(t)
		}
	}
	ok(t, w.organisation.GiveRole(t.Context(), system, w.newsroom, w.legalRole.ID, w.people["legal"]))
}

func inTenant(tenant core.Tenant) access.Place { return access.Place{Tenant: tenant} }

func inDepartment(d core.Department) access.Place {
	return access.Place{Tenant: core.Tenant{ID: d.TenantID}, Department: d}
}

func inProject(p *core.Project) access.Place {
	return access.Place{Tenant: core.Tenant{ID: p.TenantID}, Department: core.Department{ID: p.DepartmentID}, Project: p}
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

// token creates a token of the project and returns its actor and secret.
func (w *fixture) token(t testing.TB, project *core.Project, abilities ...core.Ability) (core.Actor, string) {
	t.Helper()
	token, secret, err := w.tokens.Create(t.Context(), system, project, access.TokenInput{Name: "token", Abilities: abilities})
	ok(t, err)
	return core.Actor{Token: &token}, secret
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
