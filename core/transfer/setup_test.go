package transfer_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

var day = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// stoppedClock returns the time that a test sets.
type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time { return c.now }

// plainHasher creates readable hashes with a salt.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, password string) (string, error) {
	return rand.Text() + password, nil
}

func (plainHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return hash[len(rand.Text()):] == password, nil
}

// fixture is a project with all use cases, on the memory stores.
type fixture struct {
	stores      ports.Stores
	clock       *stoppedClock
	actor       core.Actor
	project     *core.Project
	collections *definition.Collections
	writer      *writing.Writer
	importer    *transfer.Importer
	exporter    *transfer.Exporter
}

func setup(t testing.TB) *fixture {
	t.Helper()
	ctx := context.Background()
	d := &fixture{clock: &stoppedClock{now: day}, actor: core.Actor{User: &core.User{ID: 7}}}
	store := memory.NewAt(d.clock)
	d.stores = store.Stores()
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: day, UpdatedAt: day}
	require.NoError(t, d.stores.Tenants.Insert(ctx, tenant))
	d.project = &core.Project{
		UUID: uuid.NewString(), TenantID: tenant.ID, Name: "Desk", DefaultLocale: "en", Locales: []string{"en", "de", "pt-BR"}, CreatedAt: day, UpdatedAt: day,
	}
	require.NoError(t, d.stores.Projects.Insert(ctx, d.project))
	publisher := publishing.New(d.clock, nil)
	requests := approval.NewRequests(publisher)
	d.collections = definition.NewCollections(d.stores, store, requests, d.clock)
	d.writer = writing.NewWriter(d.stores, store, d.stores.Collections, requests, publisher, plainHasher{})
	d.importer = transfer.NewImporter(d.stores, store, d.writer)
	d.exporter = transfer.NewExporter(d.stores)
	return d
}

// setWorkflow sets a workflow of one step.
func (d *fixture) setWorkflow(t testing.TB) {
	t.Helper()
	require.NoError(t, d.stores.Workflows.Put(context.Background(), review.Workflow{
		ProjectID: d.project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}, AllowSelfApproval: true,
	}))
}

func (d *fixture) collection(t testing.TB, slug string, fields ...definition.FieldInput) *core.Collection {
	t.Helper()
	c, err := d.collections.Create(context.Background(), d.actor, d.project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	require.NoError(t, err)
	return c
}

// countries creates a collection that is imported by code.
func (d *fixture) countries(t testing.TB) *core.Collection {
	t.Helper()
	return d.collection(t, "countries",
		definition.FieldInput{Name: "code", Type: core.TypeText, Required: true, Unique: true},
		definition.FieldInput{Name: "name", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "area", Type: core.TypeNumber},
		definition.FieldInput{Name: "borders", Type: core.TypeRelation, Collection: "countries", Multiple: true},
		definition.FieldInput{Name: "secret", Type: core.TypeText, Hidden: true},
	)
}

func (d *fixture) create(t testing.TB, c *core.Collection, fields string, change ...func(*core.EntryWrite)) *core.Written {
	t.Helper()
	m, err := d.writer.Create(context.Background(), d.actor, d.project, c.ID, writeOf(t, fields, change...))
	require.NoError(t, err)
	return m
}

func (d *fixture) update(t testing.TB, m *core.Written, fields string, change ...func(*core.EntryWrite)) *core.Written {
	t.Helper()
	m, err := d.writer.Update(context.Background(), d.actor, review.EntryRef{Project: d.project, CollectionID: m.CollectionID, ID: m.ID}, nil, writeOf(t, fields, change...))
	require.NoError(t, err)
	return m
}

func trash(t *testing.T, d *fixture, m *core.Written) {
	t.Helper()
	_, err := d.writer.Trash(context.Background(), d.actor, review.EntryRef{Project: d.project, CollectionID: m.CollectionID, ID: m.ID}, nil, "")
	require.NoError(t, err)
}

// everything returns the stored entries of c.
func (d *fixture) everything(t testing.TB, c *core.Collection) []core.Entry {
	t.Helper()
	entries, err := d.stores.Entries.Walk(context.Background(), d.project.ID, c.ID, 0, 1000)
	require.NoError(t, err)
	return entries
}

// medium adds a picture to the library.
func (d *fixture) medium(t testing.TB, hash, name string) core.MediaItem {
	t.Helper()
	item := core.MediaItem{CreatedAt: day, UpdatedAt: day, ProjectID: d.project.ID, Hash: hash, FileName: name, Kind: core.MediaImage}
	require.NoError(t, d.stores.Media.Insert(context.Background(), &item))
	return item
}

// entry returns the stored entry.
func (d *fixture) entry(t testing.TB, id int64) core.Entry {
	t.Helper()
	e, err := d.stores.Entries.Entry(context.Background(), d.project.ID, id)
	require.NoError(t, err)
	return e
}

func (d *fixture) draft(t testing.TB, id int64) string {
	t.Helper()
	return string(d.entry(t, id).Draft)
}

func (d *fixture) load(t testing.TB, c *core.Collection, in io.Reader, opts transfer.ImportOptions) transfer.ImportReport {
	t.Helper()
	report, err := d.importer.Import(context.Background(), d.actor, d.project, c.ID, in, opts)
	require.NoError(t, err)
	return report
}

func (d *fixture) export(t testing.TB, c *core.Collection) string {
	t.Helper()
	var out bytes.Buffer
	_, err := d.exporter.Export(context.Background(), d.project, c.ID, &out, transfer.ExportOptions{})
	require.NoError(t, err)
	return out.String()
}

// exported returns the export of c, with P instead of the project's UUID.
func (d *fixture) exported(t testing.TB, c *core.Collection) string {
	t.Helper()
	return strings.ReplaceAll(d.export(t, c), d.project.UUID, "P")
}

func writeOf(t testing.TB, fields string, change ...func(*core.EntryWrite)) core.EntryWrite {
	t.Helper()
	var w core.EntryWrite
	require.NoError(t, json.Unmarshal([]byte(fields), &w.Fields.Raw))
	for _, c := range change {
		c(&w)
	}
	return w
}

func published(published bool) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Published = &published }
}

func at(when time.Time) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.PublishAt = &when }
}

func until(when time.Time) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.UnpublishAt = core.Some(when) }
}

func in(locale string) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Locale = &locale }
}

func of(id int64) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.TranslationOf = &id }
}

// faultsOf returns the error messages of an invalid input by location.
func faultsOf(t testing.TB, err error) map[string]string {
	t.Helper()
	require.ErrorIs(t, err, core.ErrInvalid)
	var fault *core.Error
	require.True(t, errors.As(err, &fault))
	return locations(fault)
}

// shown returns some members of a JSON object.
func shown(t testing.TB, body []byte, names ...string) map[string]string {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &all))
	some := map[string]string{}
	for _, name := range names {
		some[name] = string(all[name])
	}
	return some
}

func locations(fault *core.Error) map[string]string {
	found := map[string]string{}
	for _, f := range fault.Fields {
		found[f.Location] = f.Message
	}
	return found
}
