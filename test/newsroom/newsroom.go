// Package newsroom is a test fixture: a small organisation with an approval workflow, users
// of every role and the real use cases, on any stores.
package newsroom

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/delegation"
	"imprimatur/core/media"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// T is the common part of *testing.T and *rapid.T that a Fixture uses.
type T interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// Users maps the names of the users to their initial roles.
var Users = map[string]core.Role{
	"super": core.RoleSuperAdmin, "tenant": core.RoleTenantAdmin, "department": core.RoleDepartmentAdmin,
	"admin": core.RoleAdmin, "editor": core.RoleEditor, "viewer": core.RoleViewer,
	"legal":    "", // holder of the custom role Legal of the Newsroom
	"brand":    "", // holder of the custom role Brand of Marketing
	"outsider": "",
}

// Fixture is a tenant with the departments Newsroom and Marketing and one project with the
// collection "articles". The project initially belongs to the Newsroom.
type Fixture struct {
	T
	Stores ports.Stores
	Tx     ports.Tx
	Clock  ports.Clock

	Tenant              core.Tenant
	Newsroom, Marketing core.Department
	Legal, Brand        core.CustomRole
	Project             *core.Project
	Articles            *core.Collection
	IDs                 map[string]int64 // of the users

	Organisation *access.Organisation
	Library      *media.Library // without bytes

	Publisher   *publishing.Publisher
	Requests    *approval.Requests
	Writer      *writing.Writer
	Drafts      *reading.Drafts
	Importer    *transfer.Importer
	Collections *definition.Collections
	Checker     *definition.Checker
	Workflows   *approval.Workflows
	Reviews     *approval.Reviews
	Inbox       *approval.Inbox
	Exporter    *approval.Exporter
	Worker      *approval.Worker
	Delegations *delegation.Delegations
}

// New creates a Fixture on the stores, which may hold other data. It has no workflow.
func New(t T, stores ports.Stores, tx ports.Tx, clock ports.Clock) *Fixture {
	t.Helper()
	w := &Fixture{T: t, Stores: stores, Tx: tx, Clock: clock, IDs: map[string]int64{}}
	w.Publisher = publishing.New(clock, nil)
	w.Requests = approval.NewRequests(w.Publisher)
	w.Organisation = access.NewOrganisation(stores, tx, clock)
	w.Library = media.NewLibrary(stores, tx, nil, nil, clock)
	w.Writer = writing.NewWriter(stores, tx, stores.Collections, w.Requests, w.Publisher, plainHasher{})
	w.Drafts = reading.NewDrafts(stores, reading.NewReader(stores.Entries, contenttest.Schemas{Stores: stores}, stores.Media, ""))
	w.Importer = transfer.NewImporter(stores, w.Tx, w.Writer)
	w.Collections = definition.NewCollections(stores, tx, w.Requests, clock)
	w.Checker = definition.NewChecker(stores.Collections, stores.IndexChecks, tx)
	w.Workflows = approval.NewWorkflows(stores, tx, clock)
	w.Reviews = approval.NewReviews(stores, tx, w.Publisher)
	w.Worker = approval.NewWorker(stores.Schedules, tx, w.Publisher, clock)
	w.Inbox, w.Exporter = approval.NewInbox(stores), approval.NewExporter(stores)
	w.Delegations = delegation.New(stores, tx, clock, access.Standing{})
	w.createOrganisation()
	w.createUsers()
	return w
}

// createOrganisation creates tenant, departments, custom roles, project and collection.
func (w *Fixture) createOrganisation() {
	ctx, now := w.Context(), w.Clock.Now()
	w.Tenant = core.Tenant{Name: "Meridian", CreatedAt: now, UpdatedAt: now}
	w.OK(w.Stores.Tenants.Insert(ctx, &w.Tenant))
	w.Newsroom = core.Department{TenantID: w.Tenant.ID, Name: "Newsroom", CreatedAt: now, UpdatedAt: now}
	w.OK(w.Stores.Departments.Insert(ctx, &w.Newsroom))
	w.Marketing = core.Department{TenantID: w.Tenant.ID, Name: "Marketing", CreatedAt: now, UpdatedAt: now}
	w.OK(w.Stores.Departments.Insert(ctx, &w.Marketing))
	w.Legal = w.customRole(w.Newsroom, "Legal")
	w.Brand = w.customRole(w.Marketing, "Brand")
	w.Project = &core.Project{
		UUID: uuid.NewString(), TenantID: w.Tenant.ID, DepartmentID: w.Newsroom.ID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "de"}, UploadLimit: core.DefaultUploadLimit, CreatedAt: now, UpdatedAt: now,
	}
	w.OK(w.Stores.Projects.Insert(ctx, w.Project))
	var err error
	w.Articles, err = w.Collections.Create(ctx, core.Actor{System: true}, w.Project, definition.CollectionInput{Slug: "articles", Name: "Articles", Fields: []definition.FieldInput{
		{Name: "title", Type: core.TypeText, Required: true},
		{Name: "code", Type: core.TypeText, Unique: true},
		{Name: "tags", Type: core.TypeText, Multiple: true},
		{Name: "note", Type: core.TypeText, Hidden: true},
		{Name: "cover", Type: core.TypeMedia},
		{Name: "body", Type: core.TypeRichText},
	}})
	w.OK(err)
}

func (w *Fixture) customRole(d core.Department, name string) core.CustomRole {
	role := core.CustomRole{TenantID: d.TenantID, DepartmentID: d.ID, Name: name, CreatedAt: w.Clock.Now()}
	w.OK(w.Stores.CustomRoles.Insert(w.Context(), &role))
	return role
}

// createUsers creates the users with their roles.
func (w *Fixture) createUsers() {
	ctx, now := w.Context(), w.Clock.Now()
	for name, role := range Users {
		user := core.User{
			Email: name + "@" + uuid.NewString() + ".example", Name: name, TenantID: w.Tenant.ID, Active: true,
			PasswordHash: "x", SuperAdmin: role == core.RoleSuperAdmin, CreatedAt: now, UpdatedAt: now,
		}
		w.OK(w.Stores.Users.Insert(ctx, &user))
		w.IDs[name] = user.ID
		if role != "" && role != core.RoleSuperAdmin {
			w.Grant(name, role)
		}
	}
	w.OK(w.Stores.CustomRoles.Assign(ctx, w.Legal.ID, w.IDs["legal"]))
	w.OK(w.Stores.CustomRoles.Assign(ctx, w.Brand.ID, w.IDs["brand"]))
}

// Grant grants a user a role in the project, the Newsroom or the tenant.
func (w *Fixture) Grant(name string, role core.Role) {
	w.Helper()
	w.OK(w.Stores.Grants.Set(w.Context(), w.grant(name, role)))
}

// Revoke revokes a role that was granted with Grant.
func (w *Fixture) Revoke(name string, role core.Role) {
	w.Helper()
	w.OK(w.Stores.Grants.Remove(w.Context(), w.grant(name, role)))
}

func (w *Fixture) grant(name string, role core.Role) core.Grant {
	g := core.Grant{UserID: w.IDs[name], Role: role}
	switch role {
	case core.RoleTenantAdmin:
		g.TenantID = w.Tenant.ID
	case core.RoleDepartmentAdmin:
		g.DepartmentID = w.Newsroom.ID
	default:
		g.ProjectID = w.Project.ID
	}
	return g
}

// SetActive activates or deactivates a user.
func (w *Fixture) SetActive(name string, active bool) {
	w.Helper()
	user, err := w.Stores.Users.User(w.Context(), w.IDs[name])
	w.OK(err)
	user.Active = active
	w.OK(w.Stores.Users.Update(w.Context(), user))
}

// Move moves the project to another department, or to none for 0, also where a step of its
// workflow or of an open request prevents that.
func (w *Fixture) Move(departmentID int64) {
	w.Helper()
	moved := *w.Project
	moved.DepartmentID = departmentID
	w.OK(w.Tx.Do(w.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, moved.ID); err != nil {
			return err
		}
		if err := stores.Projects.Update(ctx, &moved); err != nil {
			return err
		}
		return publishing.Seal(ctx, stores, moved.ID)
	}))
	w.Project = &moved
}

// Picture adds a media item to the library and returns its id.
func (w *Fixture) Picture(caption string) int64 {
	w.Helper()
	now := w.Clock.Now()
	item := core.MediaItem{
		ProjectID: w.Project.ID, FileName: "a.png", Caption: caption, MimeType: "image/png", Kind: core.MediaImage,
		Hash: strings.Repeat("0", 64), Size: 1, Width: 1, Height: 1, CreatedAt: now, UpdatedAt: now,
	}
	w.OK(w.Stores.Media.Insert(w.Context(), &item))
	return item.ID
}

// Cover sets the field cover to a media item.
func Cover(id int64) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Fields.Raw["cover"] = strconv.AppendInt(nil, id, 10) }
}

// Change changes the stored project as the super admin. It does not update w.Project.
func (w *Fixture) Change(ctx context.Context, acknowledged bool, change func(*core.Project)) error {
	_, err := w.Organisation.UpdateProject(ctx, w.Actor("super"), w.Project, acknowledged, change)
	return err
}

// Redefine changes the project as the super admin and updates w.Project.
func (w *Fixture) Redefine(change func(*core.Project)) {
	w.Helper()
	w.OK(w.Change(w.Context(), false, change))
	w.Reload()
}

// Reload reads w.Project again.
func (w *Fixture) Reload() {
	w.Helper()
	project, err := w.Stores.Projects.Project(w.Context(), w.Project.ID)
	w.OK(err)
	w.Project = project
}

// Actor returns a user with the current roles.
func (w *Fixture) Actor(name string) core.Actor {
	w.Helper()
	user, err := w.Stores.Users.User(w.Context(), w.IDs[name])
	w.OK(err)
	grants, roles, err := w.Stores.Grants.UserGrants(w.Context(), user.ID)
	w.OK(err)
	lenders, err := ports.Lenders(w.Context(), w.Stores, user.ID, w.Clock.Now())
	w.OK(err)
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles, Lent: core.LentAt(lenders, w.Clock.Now())}
}

// Lend lets a user decide on behalf of another one for a day, everywhere or in Projects.
func (w *Fixture) Lend(from, to string, projects ...int64) core.Delegation {
	w.Helper()
	d, err := w.Delegations.Give(w.Context(), w.Actor(from), delegation.Input{To: w.IDs[to], Until: w.Clock.Now().Add(24 * time.Hour), ProjectIDs: projects})
	w.OK(err)
	return d
}

// DelegableStep returns a step that requires a role kind and may be decided on behalf of others.
func DelegableStep(order int, role core.Role) approval.StepInput {
	step := Step(order, role)
	step.Delegable = true
	return step
}

// Token returns a token of the project with write abilities, created by a command.
func (w *Fixture) Token() core.Actor { return w.TokenOf("") }

// TokenOf returns a token of the Project with write abilities, created by a user.
func (w *Fixture) TokenOf(name string) core.Actor {
	return core.Actor{Token: &core.Token{
		ID: 1, ProjectID: w.Project.ID, Name: "ci", CreatedBy: w.IDs[name], Abilities: []core.Ability{core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete},
	}}
}

// SetWorkflow sets the project's own workflow.
func (w *Fixture) SetWorkflow(steps ...approval.StepInput) {
	w.Helper()
	_, err := w.Workflows.SetProject(w.Context(), core.Actor{System: true}, w.Project, approval.WorkflowInput{Steps: steps})
	w.OK(err)
}

// Step returns a step that requires a role kind.
func Step(order int, role core.Role) approval.StepInput {
	return approval.StepInput{StepOrder: order, RequiredRoleKind: string(role)}
}

// CustomRoleStep returns a step that requires a custom role.
func CustomRoleStep(order int, role core.CustomRole) approval.StepInput {
	return approval.StepInput{StepOrder: order, RequiredRoleKind: string(core.RoleTenantAdmin), RequiredCustomRoleID: &role.ID}
}

// Article returns a write of an article with a title and further changes.
func Article(title string, change ...func(*core.EntryWrite)) core.EntryWrite {
	w := core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": canonical.Quote(title)}}}
	for _, c := range change {
		c(&w)
	}
	return w
}

// Published sets the requested publication state.
func Published(published bool) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Published = &published }
}

// At sets the time to publish.
func At(at time.Time) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.PublishAt = &at }
}

// Until sets the end of the publication; nil removes it.
func Until(end *time.Time) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.UnpublishAt = core.Optional[time.Time]{Given: true, Value: end} }
}

// Field sets a field to a text.
func Field(name, text string) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Fields.Raw[name] = canonical.Quote(text) }
}

// Ref returns the reference of an article.
func (w *Fixture) Ref(id int64) review.EntryRef {
	return review.EntryRef{Project: w.Project, CollectionID: w.Articles.ID, ID: id}
}

// Create creates an article as the editor.
func (w *Fixture) Create(wr core.EntryWrite) *reading.Managed {
	w.Helper()
	written, err := w.Writer.Create(w.Context(), w.Actor("editor"), w.Project, w.Articles.ID, wr)
	w.OK(err)
	return w.Show(written)
}

// Update changes an article as the editor.
func (w *Fixture) Update(id int64, wr core.EntryWrite) *reading.Managed {
	w.Helper()
	written, err := w.Writer.Update(w.Context(), w.Actor("editor"), w.Ref(id), nil, wr)
	w.OK(err)
	return w.Show(written)
}

// Show returns the result of a write as editors see it.
func (w *Fixture) Show(written *core.Written) *reading.Managed {
	w.Helper()
	m, err := w.Drafts.Written(w.Context(), written)
	w.OK(err)
	return m
}

// Entry returns the stored article.
func (w *Fixture) Entry(id int64) core.Entry {
	w.Helper()
	e, err := w.Stores.Entries.Entry(w.Context(), w.Project.ID, id)
	w.OK(err)
	return e
}

// Public returns the published title of an article, or "".
func (w *Fixture) Public(id int64) string {
	w.Helper()
	var title string
	if published := w.Entry(id).Published; published != nil {
		w.OK(json.Unmarshal(published.Values()["title"], &title))
	}
	return title
}

// Request returns the article's open or latest request.
func (w *Fixture) Request(id int64) *approval.View {
	w.Helper()
	v, err := w.Reviews.Current(w.Context(), w.Actor("super"), w.Ref(id))
	w.OK(err)
	return v
}

// Approve approves the current step as a user.
func (w *Fixture) Approve(name string, id int64) error {
	_, err := w.Reviews.Approve(w.Context(), w.Actor(name), w.Ref(id), approval.Decision{})
	return err
}

// OK fails unless err is nil.
func (w *Fixture) OK(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%v", err)
	}
}

// plainHasher is a fast, insecure password hasher.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, password string) (string, error) {
	return fmt.Sprintf("hash of %q", password), nil
}

func (h plainHasher) Matches(ctx context.Context, password, hash string) (bool, error) {
	same, err := h.Hash(ctx, password)
	return same == hash, err
}
