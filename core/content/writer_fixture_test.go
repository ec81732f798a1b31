package content_test

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
	"imprimatur/core/content"
	"imprimatur/ports"
)

// writerFixture is a project with a writer, on the memory stores.
type writerFixture struct {
	store       *memory.Store
	stores      ports.Stores
	clock       *stoppedClock
	gate        *countingGate
	committed   *commits
	actor       core.Actor
	project     *core.Project
	collections *content.Collections
	writer      *content.Writer
}

func setupWriter(t testing.TB) *writerFixture {
	t.Helper()
	ctx := context.Background()
	d := &writerFixture{
		clock: &stoppedClock{now: day}, gate: &countingGate{}, committed: &commits{},
		actor: core.Actor{User: &core.User{ID: 7}},
	}
	d.store = memory.NewAt(d.clock)
	d.stores = d.store.Stores()
	tenant := &core.Tenant{Name: "Meridian"}
	require.NoError(t, d.stores.Tenants.Insert(ctx, tenant))
	d.project = d.newProject(t, tenant.ID, "en", "de", "pt-BR")
	d.store.OnCommit(d.committed.add)
	d.collections = content.NewCollections(d.stores, d.store, d.gate, d.clock)
	d.writer = content.NewWriter(d.stores, d.store, d.stores.Collections, d.gate, readableHasher{}, d.clock)
	return d
}

func (d *writerFixture) newProject(t testing.TB, tenant int64, locales ...string) *core.Project {
	t.Helper()
	p := &core.Project{
		UUID: "uuid of " + strings.Join(locales, " "), TenantID: tenant, Name: "Desk", DefaultLocale: locales[0], Locales: locales,
	}
	require.NoError(t, d.stores.Projects.Insert(context.Background(), p))
	return p
}

func (d *writerFixture) collection(t testing.TB, slug string, fields ...content.FieldInput) *core.Collection {
	t.Helper()
	c, err := d.collections.Create(context.Background(), core.Actor{System: true}, d.project, content.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	require.NoError(t, err)
	return c
}

// updateField replaces all options of a field.
func (d *writerFixture) updateField(t testing.TB, id int64, name string, in content.FieldInput) (*core.Collection, error) {
	return d.collections.ReviseField(t.Context(), core.SystemActor, d.project, id, name, false, func(content.FieldInput) content.FieldInput { return in })
}

// articles creates a collection with a field of every kind that writes treat specially.
func (d *writerFixture) articles(t testing.TB) *core.Collection {
	t.Helper()
	return d.collection(t, "articles",
		content.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		content.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true},
		content.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		content.FieldInput{Name: "views", Type: core.TypeNumber, Default: json.RawMessage("10")},
		content.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true},
		content.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true},
		content.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: "articles"},
		content.FieldInput{Name: "cover", Type: core.TypeMedia},
		content.FieldInput{Name: "note", Type: core.TypeText, Hidden: true},
		content.FieldInput{Name: "pin", Type: core.TypePassword},
	)
}

func (d *writerFixture) create(t testing.TB, c *core.Collection, fields string, change ...func(*content.Write)) *content.Managed {
	t.Helper()
	m, err := d.writer.Create(context.Background(), d.actor, d.project, c.ID, writeOf(t, fields, change...))
	require.NoError(t, err)
	return m
}

func (d *writerFixture) update(t testing.TB, m *content.Managed, fields string, change ...func(*content.Write)) *content.Managed {
	t.Helper()
	m, err := d.writer.Update(context.Background(), d.actor, d.project, m.CollectionID, m.ID, nil, writeOf(t, fields, change...))
	require.NoError(t, err)
	return m
}

// entry returns the stored entry.
func (d *writerFixture) entry(t testing.TB, id int64) core.Entry {
	t.Helper()
	e, err := d.stores.Entries.Entry(context.Background(), d.project.ID, id)
	require.NoError(t, err)
	return e
}

func (d *writerFixture) draft(t testing.TB, id int64) string {
	t.Helper()
	return string(d.entry(t, id).Draft)
}

func writeOf(t testing.TB, fields string, change ...func(*content.Write)) content.Write {
	t.Helper()
	var w content.Write
	require.NoError(t, json.Unmarshal([]byte(fields), &w.Fields))
	for _, c := range change {
		c(&w)
	}
	return w
}

func published(published bool) func(*content.Write) {
	return func(w *content.Write) { w.Published = &published }
}

func at(when time.Time) func(*content.Write) {
	return func(w *content.Write) { w.PublishAt = &when }
}

func in(locale string) func(*content.Write) {
	return func(w *content.Write) { w.Locale = &locale }
}

func of(id int64) func(*content.Write) {
	return func(w *content.Write) { w.TranslationOf = &id }
}

// faultsOf returns the error messages of an invalid input by location.
func faultsOf(t testing.TB, err error) map[string]string {
	t.Helper()
	require.ErrorIs(t, err, core.ErrInvalid)
	var fault *core.Error
	require.True(t, errors.As(err, &fault))
	return locations(fault)
}

func locations(fault *core.Error) map[string]string {
	found := map[string]string{}
	for _, f := range fault.Fields {
		found[f.Location] = f.Message
	}
	return found
}

// stoppedClock returns the time that a test sets.
type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time { return c.now }

// readableHasher creates readable hashes.
type readableHasher struct{}

func (readableHasher) Hash(_ context.Context, password string) (string, error) {
	return "hash of " + password, nil
}

func (readableHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return hash == "hash of "+password, nil
}

// countingGate is a gate that applies if gated is set, and records its calls.
type countingGate struct {
	openGate

	gated     bool
	submitted map[int64]time.Time // pending, by entry
	scheduled map[int64]time.Time // by entry
	withdrawn []int64
	closed    []int64 // collections
}

func (g *countingGate) Governs(context.Context, ports.Stores, *core.Project, int64) (bool, error) {
	return g.gated, nil
}

func (g *countingGate) Submit(_ context.Context, _ ports.Stores, _ core.Actor, _ core.Schema, e *core.Entry, period core.Period) error {
	if g.submitted == nil {
		g.submitted = map[int64]time.Time{}
	}
	if _, pending := g.submitted[e.ID]; !pending {
		g.submitted[e.ID] = period.From
	}
	return nil
}

func (g *countingGate) Schedule(_ context.Context, _ ports.Stores, _ core.Actor, e *core.Entry, period core.Period) error {
	if g.scheduled == nil {
		g.scheduled = map[int64]time.Time{}
	}
	g.scheduled[e.ID] = period.From
	return nil
}

func (g *countingGate) Withdraw(_ context.Context, _ ports.Stores, _ core.Actor, e *core.Entry) error {
	g.withdrawn = append(g.withdrawn, e.ID)
	delete(g.submitted, e.ID)
	return nil
}

func (g *countingGate) Close(_ context.Context, _ ports.Stores, _ core.Actor, _, collectionID int64) error {
	g.closed = append(g.closed, collectionID)
	return nil
}

func (g *countingGate) Approvals(_ context.Context, _ ports.Stores, _ int64, ids []int64) (map[int64]core.ApprovalSummary, error) {
	found := map[int64]core.ApprovalSummary{}
	for _, id := range ids {
		if _, pending := g.submitted[id]; pending {
			found[id] = core.ApprovalSummary{ID: 1, Status: "pending", ReleaseNumber: "CR-2026-0001"}
		}
	}
	return found, nil
}

// commits records the types of committed events.
type commits struct {
	mu   sync.Mutex
	made []core.EventType
}

func (c *commits) add(events []core.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.made = append(c.made, e.Type)
	}
}

// take returns the types since the previous call.
func (c *commits) take() []core.EventType {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.made
	c.made = nil
	return made
}
