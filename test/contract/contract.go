// Package contract holds one conformance suite per port. A suite knows only the
// port's comments; a new adapter is one test file that calls the suites with a way
// to make a fresh one.
//
// The suites of stores open one database each. Their cases run in parallel on it,
// each in a Tenant and Project of its own, so that every case also shows that the
// others do not reach into it.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/gowebpki/jcs"

	"imprimatur/core"
	"imprimatur/ports"
)

// Factory makes an empty set of stores that lives as long as t.
type Factory func(t *testing.T) (ports.Stores, ports.Tx)

// Stores runs the suite of every store.
func Stores(t *testing.T, open Factory) {
	for name, suite := range map[string]func(*testing.T, Factory){
		"Tx": Tx, "Tenants": Tenants, "Departments": Departments, "CustomRoles": CustomRoles, "Projects": Projects,
		"Users": Users, "Grants": Grants, "Sessions": Sessions, "SignIns": SignIns, "Tokens": Tokens,
		"Collections": Collections, "Entries": Entries, "Origins": Origins, "Reader": Reader, "Limits": Limits, "Media": Media, "Blobs": Blobs,
		"Workflows": Workflows, "Requests": Requests, "Inboxes": Inboxes, "Publications": Publications, "Idempotency": Idempotency,
		"Events": Events,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite(t, open)
		})
	}
}

// reporter is what the helpers need of a *testing.T; a *rapid.T has it, too.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// cases are the cases of one suite by name.
type cases map[string]func(t *testing.T, w *world)

// run runs each case in a world of its own on one set of stores.
func run(t *testing.T, open Factory, all cases) {
	stores, tx := open(t)
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, stores, tx))
		})
	}
}

// runInTurn is run without company: for cases that keep a database so busy that it
// would turn others away.
func runInTurn(t *testing.T, open Factory, all cases) {
	stores, tx := open(t)
	for name, test := range all {
		t.Run(name, func(t *testing.T) { test(t, newWorld(t, stores, tx)) })
	}
}

// world is what one case works in.
type world struct {
	ports.Stores
	tx         ports.Tx
	tenant     core.Tenant
	department core.Department
	project    *core.Project
}

func newWorld(t reporter, stores ports.Stores, tx ports.Tx) *world {
	t.Helper()
	w := &world{Stores: stores, tx: tx}
	w.tenant = w.newTenant(t)
	w.department = w.newDepartment(t, w.tenant.ID)
	w.project = w.newProject(t, w.tenant.ID, w.department.ID)
	return w
}

// beside returns another Project of the same Tenant as a world.
func (w *world) beside(t reporter) *world {
	t.Helper()
	other := *w
	other.project = w.newProject(t, w.tenant.ID, w.department.ID)
	return &other
}

func (w *world) newTenant(t reporter) core.Tenant {
	t.Helper()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: at(1), UpdatedAt: at(1)}
	succeed(t, w.Tenants.Insert(t.Context(), &tenant))
	return tenant
}

func (w *world) newDepartment(t reporter, tenantID int64) core.Department {
	t.Helper()
	d := core.Department{TenantID: tenantID, Name: "Newsroom", CreatedAt: at(1), UpdatedAt: at(1)}
	succeed(t, w.Departments.Insert(t.Context(), &d))
	return d
}

func (w *world) newProject(t reporter, tenantID, departmentID int64) *core.Project {
	t.Helper()
	p := &core.Project{
		UUID: uuid.NewString(), TenantID: tenantID, DepartmentID: departmentID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "fr", "fr-CA", "de", "ja"},
		Fallbacks:   map[string][]string{"ja": {"fr"}, "de": {}},
		UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{"*"}, CreatedAt: at(1), UpdatedAt: at(1),
	}
	succeed(t, w.Projects.Insert(t.Context(), p))
	return p
}

func (w *world) newUser(t reporter) core.User {
	t.Helper()
	u := core.User{
		Email: uuid.NewString() + "@example.org", Name: "Ada", TenantID: w.tenant.ID,
		PasswordHash: "$argon2id$", Active: true, CreatedAt: at(1), UpdatedAt: at(1),
	}
	succeed(t, w.Users.Insert(t.Context(), &u))
	return u
}

// do runs work in one transaction.
func (w *world) do(t reporter, work func(ctx context.Context, stores ports.Stores) error) error {
	t.Helper()
	return w.tx.Do(t.Context(), core.SystemActor, work)
}

// at returns a moment n seconds after one that all cases share.
func at(n int) time.Time {
	return time.Date(2026, 3, 29, 1, 59, 59, 123e6, time.UTC).Add(time.Duration(n) * time.Second)
}

// doc returns the canonical document of fields.
func doc(fields map[string]any) core.Document {
	plain, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("a document that is no JSON: %v", err))
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		panic(fmt.Sprintf("a document without canonical form: %v", err))
	}
	return canonical
}

func succeed(t reporter, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// refused checks that err is target.
func refused(t reporter, err error, target *core.Error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got error %v, want one of kind %d", err, target.Kind)
	}
}

// same checks that got is want; nil and empty lists are the same.
func same(t reporter, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("not as expected (-want +got):\n%s", diff)
	}
}

// value returns what a read returned, which must have succeeded.
func value[T any](v T, err error) func(t reporter) T {
	return func(t reporter) T {
		t.Helper()
		succeed(t, err)
		return v
	}
}

// ids returns the ids of things.
func ids[T any](things []T, id func(T) int64) []int64 {
	var list []int64
	for _, thing := range things {
		list = append(list, id(thing))
	}
	return list
}
