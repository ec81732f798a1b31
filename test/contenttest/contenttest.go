// Package contenttest has a Project with a Writer on the memory stores, for tests of the packages that
// define, read and write content.
package contenttest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// Day is the time of Fixture.Clock at first.
var Day = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

// Fixture is a project with a writer, on the memory stores.
type Fixture struct {
	Store       *memory.Store
	Stores      ports.Stores
	Clock       *Clock
	Approval    *approval.Requests
	Publisher   *publishing.Publisher
	Committed   *Commits
	Actor       core.Actor
	Project     *core.Project
	Collections *definition.Collections
	Writer      *writing.Writer
	Drafts      *reading.Drafts
}

// New returns a Fixture.
func New(t testing.TB) *Fixture {
	t.Helper()
	ctx := context.Background()
	d := &Fixture{
		Clock: &Clock{Time: Day}, Committed: &Commits{},
		Actor: core.Actor{User: &core.User{ID: 7}},
	}
	d.Publisher = publishing.New(d.Clock, nil)
	d.Approval = approval.NewRequests(d.Publisher)
	d.Store = memory.NewAt(d.Clock)
	d.Stores = d.Store.Stores()
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: Day, UpdatedAt: Day}
	require.NoError(t, d.Stores.Tenants.Insert(ctx, tenant))
	d.Project = d.NewProject(t, tenant.ID, "en", "de", "pt-BR")
	d.Store.OnCommit(d.Committed.add)
	d.Collections = definition.NewCollections(d.Stores, d.Store, d.Approval, d.Clock)
	d.Writer = writing.NewWriter(d.Stores, d.Store, d.Stores.Collections, d.Approval, d.Publisher, Hasher{})
	d.Drafts = reading.NewDrafts(d.Stores, reading.NewReader(d.Stores.Entries, Schemas{d.Stores}, d.Stores.Media, ""))
	return d
}

// NewProject adds a Project.
func (d *Fixture) NewProject(t testing.TB, tenant int64, locales ...string) *core.Project {
	t.Helper()
	p := &core.Project{
		UUID: "uuid of " + strings.Join(locales, " "), TenantID: tenant, Name: "Desk", DefaultLocale: locales[0], Locales: locales, CreatedAt: Day, UpdatedAt: Day,
	}
	require.NoError(t, d.Stores.Projects.Insert(context.Background(), p))
	return p
}

// Collection adds a collection.
func (d *Fixture) Collection(t testing.TB, slug string, fields ...definition.FieldInput) *core.Collection {
	t.Helper()
	c, err := d.Collections.Create(context.Background(), core.Actor{System: true}, d.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	require.NoError(t, err)
	return c
}

// Change returns a change of a collection by the system.
func (d *Fixture) Change(collectionID int64) definition.Change {
	return definition.Change{Actor: core.SystemActor, Project: d.Project, CollectionID: collectionID}
}

// UpdateField replaces all options of a field.
func (d *Fixture) UpdateField(t testing.TB, id int64, name string, in definition.FieldInput) (*core.Collection, error) {
	return d.Collections.ReviseField(t.Context(), d.Change(id), name, func(definition.FieldInput) definition.FieldInput { return in })
}

// Articles creates a collection with a field of every kind that writes treat specially.
func (d *Fixture) Articles(t testing.TB) *core.Collection {
	t.Helper()
	return d.Collection(t, "articles",
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true},
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "views", Type: core.TypeNumber, Default: json.RawMessage("10")},
		definition.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true},
		definition.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true},
		definition.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: "articles"},
		definition.FieldInput{Name: "cover", Type: core.TypeMedia},
		definition.FieldInput{Name: "note", Type: core.TypeText, Hidden: true},
		definition.FieldInput{Name: "pin", Type: core.TypePassword},
	)
}

// Govern has a workflow govern the Project, or none.
func (d *Fixture) Govern(t testing.TB, governed bool) {
	t.Helper()
	w := review.Workflow{ProjectID: d.Project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}}
	if governed {
		require.NoError(t, d.Stores.Workflows.Put(context.Background(), w))
	} else if err := d.Stores.Workflows.Remove(context.Background(), w); !errors.Is(err, core.ErrNotFound) {
		require.NoError(t, err)
	}
}

// Submitted returns the times of the open requests, by entry.
func (d *Fixture) Submitted(t testing.TB) map[int64]time.Time {
	t.Helper()
	open, err := d.Stores.Requests.Open(context.Background(), d.Project.ID, 0, 0, 100)
	require.NoError(t, err)
	times := map[int64]time.Time{}
	for _, r := range open {
		times[r.Item().EntryID] = r.ScheduledAt
	}
	return times
}

// Scheduled returns the times of the scheduled publications, by entry.
func (d *Fixture) Scheduled(t testing.TB) map[int64]time.Time {
	t.Helper()
	schedules, err := d.Stores.Schedules.Schedules(context.Background(), schedule.Query{ProjectIDs: []int64{d.Project.ID}, Limit: 100})
	require.NoError(t, err)
	times := map[int64]time.Time{}
	for _, s := range schedules {
		if s.Action == schedule.Publish {
			times[s.EntryID] = s.DueAt
		}
	}
	return times
}

// PublishDraft publishes the draft of an entry, whose scheduled time has come.
func (d *Fixture) PublishDraft(id int64) error {
	return d.Store.Do(context.Background(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		set, err := d.Publisher.Lock(ctx, stores, d.Project, id)
		if err != nil {
			return err
		}
		return set.PublishDrafts(ctx, d.Actor.Ref(), time.Time{})
	})
}

// Ref returns the reference of an entry.
func (d *Fixture) Ref(m *reading.Managed) review.EntryRef {
	return review.EntryRef{Project: d.Project, CollectionID: m.CollectionID, ID: m.ID}
}

// Create adds an entry. fields is a JSON object.
func (d *Fixture) Create(t testing.TB, c *core.Collection, fields string, change ...func(*core.EntryWrite)) *reading.Managed {
	t.Helper()
	w, err := d.Writer.Create(context.Background(), d.Actor, d.Project, c.ID, WriteOf(t, fields, change...))
	require.NoError(t, err)
	return d.Show(t, w)
}

// Update changes an entry. fields is a JSON object.
func (d *Fixture) Update(t testing.TB, m *reading.Managed, fields string, change ...func(*core.EntryWrite)) *reading.Managed {
	t.Helper()
	w, err := d.Writer.Update(context.Background(), d.Actor, d.Ref(m), nil, WriteOf(t, fields, change...))
	require.NoError(t, err)
	return d.Show(t, w)
}

// Show returns the result of a write as editors see it.
func (d *Fixture) Show(t testing.TB, w *core.Written) *reading.Managed {
	t.Helper()
	m, err := d.Drafts.Written(context.Background(), w)
	require.NoError(t, err)
	return m
}

// Restore takes an entry out of the trash.
func (d *Fixture) Restore(t testing.TB, m *reading.Managed) *reading.Managed {
	t.Helper()
	w, err := d.Writer.Restore(context.Background(), d.Actor, d.Ref(m), nil)
	require.NoError(t, err)
	return d.Show(t, w)
}

// Entry returns the stored entry.
func (d *Fixture) Entry(t testing.TB, id int64) core.Entry {
	t.Helper()
	e, err := d.Stores.Entries.Entry(context.Background(), d.Project.ID, id)
	require.NoError(t, err)
	return e
}

// Draft returns the stored draft of an entry.
func (d *Fixture) Draft(t testing.TB, id int64) string {
	t.Helper()
	return string(d.Entry(t, id).Draft)
}

// WriteOf returns a write with these fields, a JSON object, after the changes.
func WriteOf(t testing.TB, fields string, change ...func(*core.EntryWrite)) core.EntryWrite {
	t.Helper()
	var w core.EntryWrite
	require.NoError(t, json.Unmarshal([]byte(fields), &w.Fields.Raw))
	for _, c := range change {
		c(&w)
	}
	return w
}

// Published sets core.EntryWrite.Published.
func Published(published bool) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Published = &published }
}

// At sets core.EntryWrite.PublishAt.
func At(when time.Time) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.PublishAt = &when }
}

// In sets core.EntryWrite.Locale.
func In(locale string) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Locale = &locale }
}

// Of sets core.EntryWrite.TranslationOf.
func Of(id int64) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.TranslationOf = &id }
}

// FaultsOf returns the error messages of an invalid input by location.
func FaultsOf(t testing.TB, err error) map[string]string {
	t.Helper()
	require.ErrorIs(t, err, core.ErrInvalid)
	var fault *core.Error
	require.True(t, errors.As(err, &fault))
	return Locations(fault)
}

// Locations returns the messages of fault by location.
func Locations(fault *core.Error) map[string]string {
	found := map[string]string{}
	for _, f := range fault.Fields {
		found[f.Location] = f.Message
	}
	return found
}

// Clock returns the time that a test sets.
type Clock struct{ Time time.Time }

// Now implements ports.Clock.
func (c *Clock) Now() time.Time { return c.Time }

// Hasher creates readable hashes.
type Hasher struct{}

func (Hasher) Hash(_ context.Context, password string) (string, error) {
	return "hash of " + password, nil
}

func (Hasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return hash == "hash of "+password, nil
}

// Commits records the types of committed events.
type Commits struct {
	mu   sync.Mutex
	made []event.Type
}

func (c *Commits) add(events []event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.made = append(c.made, e.Type)
	}
}

// Take returns the types since the previous call.
func (c *Commits) Take() []event.Type {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.made
	c.made = nil
	return made
}

// Schemas reads definitions from the stores, without a cache.
type Schemas struct{ Stores ports.Stores }

// ProjectByUUID implements ports.Schemas.
func (s Schemas) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	return s.Stores.Projects.ProjectByUUID(ctx, uuid)
}

// Project implements ports.Schemas.
func (s Schemas) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.Stores.Projects.Project(ctx, id)
}

// Collections implements ports.Schemas.
func (s Schemas) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return s.Stores.Collections.Collections(ctx, projectID)
}

// Values returns the named members of a JSON object.
func Values(t testing.TB, object []byte, names ...string) map[string]string {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &all))
	some := map[string]string{}
	for _, name := range names {
		some[name] = string(all[name])
	}
	return some
}
