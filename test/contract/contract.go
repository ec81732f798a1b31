// Package contract holds one conformance suite per port. A suite tests only what the port's
// comments promise. A new adapter needs one test file that calls the suites with a factory.
//
// Each store suite opens one database. Its cases run in parallel, each in a tenant and
// project of its own, so every case also tests the isolation of projects.
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
	"imprimatur/core/query"
	"imprimatur/ports"
)

// Factory returns an empty set of stores that is closed when t ends.
type Factory func(t *testing.T) (ports.Stores, ports.Tx)

// Stores runs the suite of every store.
func Stores(t *testing.T, open Factory) {
	for name, suite := range map[string]func(*testing.T, Factory){
		"Tx": Tx, "Tenants": Tenants, "Departments": Departments, "CustomRoles": CustomRoles, "Projects": Projects,
		"Users": Users, "Grants": Grants, "Sessions": Sessions, "SignIns": SignIns, "Invitations": Invitations, "IdentityProviders": IdentityProviders, "DomainClaims": DomainClaims, "UserIdentities": UserIdentities, "MailLinks": MailLinks, "Spent": Spent, "Previews": Previews, "Passkeys": Passkeys, "TOTP": TOTP, "RecoveryCodes": RecoveryCodes, "Tokens": Tokens,
		"Collections": Collections, "Components": Components, "SchemaFiles": SchemaFiles, "Entries": Entries, "Revisions": Revisions, "Origins": Origins, "Reader": Reader, "Limits": Limits, "Media": Media, "Blobs": Blobs, "Renditions": Renditions, "Holds": Holds,
		"Workflows": Workflows, "Requests": Requests, "Releases": Releases, "Comments": Comments, "Delegations": Delegations, "Assistants": Assistants, "Inboxes": Inboxes, "Schedules": Schedules, "Publications": Publications, "Idempotency": Idempotency, "SigningKeys": SigningKeys,
		"Constraints": Constraints, "Locks": Locks, "Events": Events, "PublicLog": PublicLog, "Deliveries": Deliveries, "Notices": Notices, "Mails": Mails, "Overviews": Overviews,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite(t, open)
		})
	}
}

// reporter is the common part of *testing.T and *rapid.T that the helpers use.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// cases are the cases of one suite by name.
type cases map[string]func(t *testing.T, w *fixture)

// run runs the cases in parallel, each with a fixture of its own, on one set of stores.
func run(t *testing.T, open Factory, all cases) {
	stores, tx := open(t)
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newFixture(t, stores, tx))
		})
	}
}

// runSequentially runs the cases one after the other, for cases with global effects or so
// much load that the database would refuse other cases.
func runSequentially(t *testing.T, open Factory, all cases) {
	stores, tx := open(t)
	for name, test := range all {
		t.Run(name, func(t *testing.T) { test(t, newFixture(t, stores, tx)) })
	}
}

// fixture holds the stores, tenant, department and project of one case.
type fixture struct {
	ports.Stores
	tx         ports.Tx
	tenant     core.Tenant
	department core.Department
	project    *core.Project
}

func newFixture(t reporter, stores ports.Stores, tx ports.Tx) *fixture {
	t.Helper()
	w := &fixture{Stores: stores, tx: tx}
	w.tenant = w.newTenant(t)
	w.department = w.newDepartment(t, w.tenant.ID)
	w.project = w.newProject(t, w.tenant.ID, w.department.ID)
	return w
}

// otherProject returns a fixture with another project of the same tenant.
func (w *fixture) otherProject(t reporter) *fixture {
	t.Helper()
	other := *w
	other.project = w.newProject(t, w.tenant.ID, w.department.ID)
	return &other
}

func (w *fixture) newTenant(t reporter) core.Tenant {
	t.Helper()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, w.Tenants.Insert(t.Context(), &tenant))
	return tenant
}

func (w *fixture) newDepartment(t reporter, tenantID int64) core.Department {
	t.Helper()
	d := core.Department{TenantID: tenantID, Name: "Newsroom", CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, w.Departments.Insert(t.Context(), &d))
	return d
}

func (w *fixture) newProject(t reporter, tenantID, departmentID int64) *core.Project {
	t.Helper()
	p := &core.Project{
		UUID: uuid.NewString(), TenantID: tenantID, DepartmentID: departmentID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "fr", "fr-CA", "de", "ja"},
		Fallbacks:   map[string][]string{"ja": {"fr"}, "de": {}},
		UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{"*"}, PreviewOrigins: []string{"https://site.example"}, RevisionLimit: 50, CreatedAt: at(1), UpdatedAt: at(1),
	}
	requireNoError(t, w.Projects.Insert(t.Context(), p))
	return p
}

func (w *fixture) newUser(t reporter) core.User {
	t.Helper()
	u := core.User{
		Email: uuid.NewString() + "@example.org", Name: "Ada", TenantID: w.tenant.ID,
		PasswordHash: "$argon2id$", Active: true, CreatedAt: at(1), UpdatedAt: at(1),
	}
	requireNoError(t, w.Users.Insert(t.Context(), &u))
	return u
}

// do runs work in one transaction.
func (w *fixture) do(t reporter, work func(ctx context.Context, stores ports.Stores) error) error {
	t.Helper()
	return w.tx.Do(t.Context(), core.SystemActor, work)
}

// at returns a time n seconds after a fixed start.
func at(n int) time.Time {
	return time.Date(2026, 3, 29, 1, 59, 59, 123e6, time.UTC).Add(time.Duration(n) * time.Second)
}

// doc returns the canonical document of fields.
func doc(fields map[string]any) core.Document {
	plain, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("document is not JSON: %v", err))
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		panic(fmt.Sprintf("document has no canonical form: %v", err))
	}
	return canonical
}

func requireNoError(t reporter, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// requireError fails the test unless err is target.
func requireError(t reporter, err error, target *core.Error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got error %v, want one of kind %d", err, target.Kind)
	}
}

// assertEqual reports a difference between got and want; nil and empty lists are equal. It does not
// compare the components that fields are bound to.
func assertEqual(t reporter, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(core.Field{})); diff != "" {
		t.Errorf("unexpected result (-want +got):\n%s", diff)
	}
}

// result requires that a call succeeded and returns its result.
func result[T any](v T, err error) func(t reporter) T {
	return func(t reporter) T {
		t.Helper()
		requireNoError(t, err)
		return v
	}
}

// listed returns the rows of sel.
func listed(t reporter, entries ports.EntryReader, sel query.Selection) []core.Row {
	t.Helper()
	rows, _, err := entries.List(t.Context(), sel, false)
	requireNoError(t, err)
	return rows
}

// ids returns the ids of items.
func ids[T any](items []T, id func(T) int64) []int64 {
	var list []int64
	for _, item := range items {
		list = append(list, id(item))
	}
	return list
}
