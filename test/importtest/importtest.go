// Package importtest has a project on the memory stores, for tests of importers.
package importtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/imaging"
	"imprimatur/adapters/memory"
	"imprimatur/app/importing"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/fieldtype"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// now is the time of all tests.
var now = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

type clock struct{}

func (clock) Now() time.Time { return now }

// plainHasher is for projects without passwords.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, password string) (string, error) { return password, nil }

func (plainHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return password == hash, nil
}

// Site is a project with the use cases of an import.
type Site struct {
	Stores   ports.Stores
	Project  *core.Project
	Writer   *writing.Writer
	Planner  *schema.Planner
	Importer *importing.Importer
}

// New returns a Site with the locales en and de.
func New(t testing.TB) *Site {
	t.Helper()
	store := memory.NewAt(clock{})
	s := &Site{Stores: store.Stores()}
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: clock{}.Now(), UpdatedAt: clock{}.Now()}
	require.NoError(t, s.Stores.Tenants.Insert(context.Background(), tenant))
	s.Project = &core.Project{
		UUID: "0b8c4f5e-5d0e-4c63-9f5d-2f6a1f0f7a11", TenantID: tenant.ID, Name: "Desk", DefaultLocale: "en",
		Locales: []string{"en", "de"}, UploadLimit: 1 << 20, CreatedAt: clock{}.Now(), UpdatedAt: clock{}.Now(),
	}
	require.NoError(t, s.Stores.Projects.Insert(context.Background(), s.Project))
	blobs, err := blobstore.Open(context.Background(), "mem://")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	publisher := publishing.New(clock{}, nil)
	requests := approval.NewRequests(publisher)
	definitions := definition.NewCollections(s.Stores, store, requests, clock{})
	s.Writer = writing.NewWriter(s.Stores, store, s.Stores.Collections, requests, publisher, plainHasher{})
	s.Planner = schema.NewPlanner(definitions, s.Stores, store)
	library := media.NewLibrary(s.Stores, store, blobs, imaging.New(imaging.Options{Memory: 64 << 20}), clock{})
	s.Importer = importing.New(s.Stores, store, s.Planner, transfer.NewImporter(s.Stores, store, s.Writer), library, clock{})
	return s
}

// Govern sets a workflow of one step.
func (s *Site) Govern(t testing.TB) {
	t.Helper()
	require.NoError(t, s.Stores.Workflows.Put(context.Background(), review.Workflow{
		ProjectID: s.Project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}, AllowSelfApproval: true,
	}))
}

// Known returns the definitions of the project.
func (s *Site) Known(t testing.TB) schema.File {
	t.Helper()
	components, err := s.Stores.Components.Components(context.Background(), s.Project.ID)
	require.NoError(t, err)
	return schema.Of(components, s.Collections(t))
}

// Collections returns the collections of the project.
func (s *Site) Collections(t testing.TB) []*core.Collection {
	t.Helper()
	collections, err := s.Stores.Collections.Collections(context.Background(), s.Project.ID)
	require.NoError(t, err)
	return collections
}

// Import imports a content, and returns the report and its rows.
func (s *Site) Import(t testing.TB, content importing.Content, opts importing.Options) (*importing.Report, []importing.Lost) {
	t.Helper()
	report, rows, err := s.Try(context.Background(), content, opts)
	require.NoError(t, err)
	Balanced(t, report, rows)
	return report, rows
}

// Try is Import that may return an error.
func (s *Site) Try(ctx context.Context, content importing.Content, opts importing.Options) (*importing.Report, []importing.Lost, error) {
	var out bytes.Buffer
	opts.Rows = &out
	report, err := s.Importer.Import(ctx, core.SystemActor, s.Project, content, opts)
	var rows []importing.Lost
	for decoder := json.NewDecoder(&out); ; {
		var row importing.Lost
		if decoder.Decode(&row) != nil {
			return report, rows, err
		}
		rows = append(rows, row)
	}
}

// Balanced checks that what came in is what went out and what is listed.
func Balanced(t testing.TB, report *importing.Report, rows []importing.Lost) {
	t.Helper()
	for _, of := range []map[string]*importing.Counts{report.Kinds, report.Fields, report.Markup, {"files": &report.Files}} {
		for name, c := range of {
			require.Equal(t, c.In, c.Out+c.Listed, "%s: %+v", name, c)
		}
	}
	var entries, files int64
	for _, row := range rows {
		switch row.What {
		case importing.LostEntry:
			entries++
		case importing.LostFile:
			files++
		}
	}
	var listed int64
	for _, c := range report.Kinds {
		listed += c.Listed
	}
	require.Equal(t, listed, entries)
	require.Equal(t, report.Files.Listed, files)
}

// Entries returns the entries of a collection outside the trash.
func (s *Site) Entries(t testing.TB, slug string) []core.Entry {
	t.Helper()
	c := core.Schema{Collections: s.Collections(t)}.BySlug(slug)
	require.NotNil(t, c, slug)
	entries, err := s.Stores.Entries.Walk(context.Background(), s.Project.ID, c.ID, 0, 100_000)
	require.NoError(t, err)
	return slices.DeleteFunc(entries, func(e core.Entry) bool { return e.Trashed() })
}

// Entry returns the entry of a collection with that value of a field, a text.
func (s *Site) Entry(t testing.TB, slug, locale, field, value string) core.Entry {
	t.Helper()
	for _, e := range s.Entries(t, slug) {
		found, _ := core.DecodeValue(core.TypeText, e.Draft.Value(field))
		if found.Text == value && e.Locale == locale {
			return e
		}
	}
	require.Fail(t, "no such entry", "%s: %s of %s", slug, value, field)
	return core.Entry{}
}

// Edit changes fields of an entry as a person.
func (s *Site) Edit(t testing.TB, e core.Entry, fields string) {
	t.Helper()
	var values map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(fields), &values))
	editor := core.Actor{User: &core.User{ID: 7}}
	_, err := s.Writer.Update(context.Background(), editor, review.EntryRef{Project: s.Project, CollectionID: e.CollectionID, ID: e.ID}, nil, core.EntryWrite{Fields: core.WrittenFields{Raw: values}})
	require.NoError(t, err)
}

// Dump describes all entries, with the names of their targets in place of ids, so that imports of the same content
// into different projects give equal texts.
func (s *Site) Dump(t testing.TB) string {
	t.Helper()
	ctx := context.Background()
	var groups []int64
	collections := s.Collections(t)
	for _, c := range collections {
		for _, e := range s.Entries(t, c.Slug) {
			groups = append(groups, e.Group)
		}
	}
	slices.Sort(groups)
	origins, err := s.Stores.Origins.OriginsOf(ctx, s.Project.ID, slices.Compact(groups))
	require.NoError(t, err)
	names := map[string]string{}
	for _, o := range origins {
		names[fmt.Sprint(o.Group)] = o.Reference
	}
	items, err := s.Stores.Media.List(ctx, library.Query{ProjectID: s.Project.ID, Limit: 100_000})
	require.NoError(t, err)
	files := map[string]string{}
	var lines []string
	for _, m := range items {
		files[fmt.Sprint(m.ID)] = m.FileName
		lines = append(lines, fmt.Sprintf("media %s alt=%s caption=%s", m.FileName, m.Alt, m.Caption))
	}
	for _, c := range collections {
		for _, e := range s.Entries(t, c.Slug) {
			line := fmt.Sprintf("%s %s %s published=%v:", c.Slug, names[fmt.Sprint(e.Group)], e.Locale, e.Published != nil)
			for _, f := range c.Fields {
				value := f.EditValues(json.RawMessage(e.Draft.Value(f.Name)), func(inner *core.Field, _ string, raw json.RawMessage) json.RawMessage {
					return named(inner, raw, names, files)
				})
				if len(value) > 0 {
					line += fmt.Sprintf(" %s=%s", f.Name, value)
				}
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// named returns a value with the names of its targets.
func named(f *core.Field, raw json.RawMessage, groups, files map[string]string) json.RawMessage {
	of := func(r core.Reference) string {
		if r.Target == core.ToMedia {
			return files[fmt.Sprint(r.ID)]
		}
		return groups[fmt.Sprint(r.ID)]
	}
	switch {
	case len(raw) == 0:
		return raw
	case f.HasLinks():
		return f.EditLinks(raw, func(_ string, l *core.Link) {
			name := of(l.Ref)
			l.Remove("data-entry", "data-media")
			l.Add("title", name)
		})
	case f.Kind() == fieldtype.Reference:
		var list []string
		f.EachReference(raw, func(r core.Reference) { list = append(list, of(r)) })
		text, _ := json.Marshal(list) // texts
		return text
	}
	return raw
}

// Picture returns a small picture, another one for each number.
func Picture(t testing.TB, number int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		picture.Set(i%8, i/8, color.RGBA{R: uint8(number), G: uint8(number >> 8), B: uint8(i), A: 255}) //nolint:gosec // bytes
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, picture))
	return out.Bytes()
}

// Fetcher is a ports.Fetcher of some addresses.
type Fetcher map[string][]byte

// Fetch implements ports.Fetcher.
func (f Fetcher) Fetch(_ context.Context, address string) (string, io.ReadCloser, error) {
	content, ok := f[address]
	if !ok {
		return "", nil, core.Invalid(core.FieldError{Location: "url", Message: "cannot be loaded: its server answers with status 404"})
	}
	return address[strings.LastIndex(address, "/")+1:], io.NopCloser(bytes.NewReader(content)), nil
}
