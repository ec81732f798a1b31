package access_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

func TestCreateProjectDefaults(t *testing.T) {
	t.Parallel()
	w := setup(t)
	uuid4 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, test := range []struct {
		name string
		in   access.ProjectInput
		want core.Project
	}{
		{"only a name", access.ProjectInput{Name: "P"},
			core.Project{DefaultLocale: "en", Locales: []string{"en"}, UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{"*"}, RevisionLimit: 100}},
		{"only a default locale", access.ProjectInput{Name: "P", DefaultLocale: "de"},
			core.Project{DefaultLocale: "de", Locales: []string{"de"}, UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{"*"}, RevisionLimit: 100}},
		{"only locales", access.ProjectInput{Name: "P", Locales: []string{"fr", "en"}},
			core.Project{DefaultLocale: "fr", Locales: []string{"fr", "en"}, UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{"*"}, RevisionLimit: 100}},
		{"everything", access.ProjectInput{
			Name: "P", DepartmentID: &w.newsroom.ID, DefaultLocale: "en", Locales: []string{"fr", "en", "fr-CA"},
			Fallbacks: map[string][]string{"fr-CA": {"fr"}}, UploadLimit: ptr(int64(5)), AllowedOrigins: ptr([]string{"https://a.example"}),
			RevisionLimit: ptr(int64(0)),
		}, core.Project{
			DepartmentID: w.newsroom.ID, DefaultLocale: "en", Locales: []string{"fr", "en", "fr-CA"},
			Fallbacks: map[string][]string{"fr-CA": {"fr"}}, UploadLimit: 5, AllowedOrigins: []string{"https://a.example"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made := must(w.organisation.CreateProject(t.Context(), core.Actor{System: true}, w.meridian.ID, test.in))(t)
			if !uuid4.MatchString(made.UUID) {
				t.Errorf("UUID %q is not of version 4", made.UUID)
			}
			test.want.ID, test.want.UUID, test.want.Name, test.want.TenantID = made.ID, made.UUID, "P", w.meridian.ID
			test.want.CreatedAt, test.want.UpdatedAt = w.clock.now, w.clock.now
			if !reflect.DeepEqual(*made, test.want) {
				t.Errorf("made %+v, want %+v", *made, test.want)
			}
			if stored := must(w.stores.Projects.ProjectByUUID(t.Context(), made.UUID))(t); stored.ID != made.ID {
				t.Errorf("found %+v by its UUID", stored)
			}
		})
	}
}

func TestProjectFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	w := setup(t)
	sixty := make([]string, 60)
	for i := range sixty {
		sixty[i] = fmt.Sprintf("a%c%c", 'a'+i/26, 'a'+i%26)
	}
	for _, test := range []struct {
		name string
		in   access.ProjectInput
		want []string
	}{
		{"sixty locales", access.ProjectInput{Name: "P", Locales: sixty}, nil},
		{"sixty-one", access.ProjectInput{Name: "P", Locales: append(slices.Clone(sixty), "de")}, []string{"locales"}},
		{"tags of every form", access.ProjectInput{Name: "P", Locales: []string{
			"de", "zh-Hant-TW", "es-419", "sr-Latn", "de-CH-1996", "sl-rozaj-biske", "en-US-u-ca-gregory", "gsw", "zh-cmn-Hans-CN", "en-x-house",
		}}, nil},
		{"no tags", access.ProjectInput{Name: "P", Locales: []string{
			"en", "*", "", "e", "en_US", "en-", "-en", "deutsch1", "en US", "en-US-US", "x", "de\x00", "ab-cde-fgh-ijk-lmno-PQ-variant-variant1",
		}}, []string{
			"locales[1]", "locales[2]", "locales[3]", "locales[4]", "locales[5]", "locales[6]", "locales[7]", "locales[8]", "locales[9]",
			"locales[10]", "locales[11]", "locales[12]",
		}},
		{"a locale twice", access.ProjectInput{Name: "P", Locales: []string{"en", "fr-CA", "FR-ca"}}, []string{"locales[2]"}},
		{"everything wrong", access.ProjectInput{
			DepartmentID: &w.studio.ID, DefaultLocale: "de", Locales: []string{"en", "fr"},
			Fallbacks: map[string][]string{"fr": {"fr", "es", "en", "en"}, "it": {"en"}}, UploadLimit: ptr(int64(0)),
		}, []string{
			"name", "defaultLocale", "fallbacks.fr[0]", "fallbacks.fr[1]", "fallbacks.fr[3]", "fallbacks.it", "uploadLimit", "departmentId",
		}},
		{"a department that does not exist", access.ProjectInput{Name: "P", DepartmentID: ptr(int64(1 << 40))}, []string{"departmentId"}},
		{"an upload limit beyond bounds", access.ProjectInput{Name: "P", UploadLimit: ptr(int64(100<<30 + 1))}, []string{"uploadLimit"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.organisation.CreateProject(t.Context(), core.Actor{System: true}, w.meridian.ID, test.in)
			wantFaults(t, err, test.want...)
		})
	}
}

func TestUpdateProject(t *testing.T) {
	t.Parallel()
	none := []string{}
	for _, test := range []struct {
		name   string
		caller string
		change func(w *fixture) func(*core.Project)
		faults []string
		want   core.Kind
		check  func(w *fixture, p *core.Project) bool
		same   bool // the change has no effect
	}{
		{name: "nothing", caller: "project", change: func(*fixture) func(*core.Project) { return func(*core.Project) {} },
			check: func(w *fixture, p *core.Project) bool {
				return p.Name == "World Desk" && p.DepartmentID == w.newsroom.ID && slices.Equal(p.Locales, []string{"en"})
			}, same: true},
		{name: "name and upload limit", caller: "project", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) {
				p.Name = "Desk"
				p.UploadLimit = int64(7)
			}
		}, check: func(_ *fixture, p *core.Project) bool { return p.Name == "Desk" && p.UploadLimit == 7 }},
		{name: "locales are appended", caller: "project", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) {
				p.Locales = []string{"en", "de", "fr"}
				p.DefaultLocale = "de"
				p.Fallbacks = map[string][]string{"fr": {"en"}}
			}
		}, check: func(_ *fixture, p *core.Project) bool {
			return slices.Equal(p.Locales, []string{"en", "de", "fr"}) && p.DefaultLocale == "de" && p.Fallbacks["fr"][0] == "en"
		}},
		{name: "locales are not removed", caller: "project", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) { p.Locales = none }
		}, faults: []string{"locales", "defaultLocale", "locales"}},
		{name: "locales are not reordered", caller: "project", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) { p.Locales = []string{"de", "en"} }
		}, faults: []string{"locales"}},
		{name: "locales do not change case", caller: "project", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) { p.Locales = []string{"EN"} }
		}, faults: []string{"defaultLocale", "locales"}},
		{name: "to another department by a tenant admin", caller: "tenant", change: func(w *fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = w.marketing.ID }
		}, check: func(w *fixture, p *core.Project) bool { return p.DepartmentID == w.marketing.ID }},
		{name: "out of its department", caller: "tenant", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = 0 }
		}, check: func(_ *fixture, p *core.Project) bool { return p.DepartmentID == 0 }},
		{name: "to another tenant's department", caller: "tenant", change: func(w *fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = w.studio.ID }
		}, faults: []string{"departmentId"}},
		{name: "a project admin may not move it", caller: "project", change: func(w *fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = w.marketing.ID }
		}, want: core.KindForbidden},
		{name: "a department admin may not move it out of the workflow", caller: "department", change: func(*fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = 0 }
		}, want: core.KindForbidden},
		{name: "naming the current department changes nothing", caller: "project", change: func(w *fixture) func(*core.Project) {
			return func(p *core.Project) { p.DepartmentID = w.newsroom.ID }
		}, check: func(w *fixture, p *core.Project) bool { return p.DepartmentID == w.newsroom.ID }, same: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.clock.pass(time.Second)
			after, err := w.organisation.UpdateProject(t.Context(), w.actor(t, test.caller), w.worldDesk, false, test.change(w))
			stored := must(w.stores.Projects.Project(t.Context(), w.worldDesk.ID))(t)
			switch {
			case test.check != nil:
				ok(t, err)
				if !test.check(w, after) || !test.check(w, stored) || stored.UpdatedAt.Equal(w.clock.now) == test.same {
					t.Errorf("returned %+v, stored %+v", *after, *stored)
				}
			case test.want != core.KindInternal:
				wantKind(t, err, test.want)
			default:
				wantFaults(t, err, test.faults...)
			}
			if err != nil && !reflect.DeepEqual(stored, w.worldDesk) {
				t.Errorf("stored %+v, want it unchanged", *stored)
			}
		})
	}
}

// A role in a department applies at once to a project that is moved there, and no longer to a
// project that is moved away.
func TestRolesFollowAMovedProject(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.signIn(t, "department")
	sees := func(p *core.Project) error {
		actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
		_, err := w.authorizer.Authorize(t.Context(), actor, access.ReadContent, access.Target{ProjectID: p.ID})
		return err
	}
	ok(t, sees(w.worldDesk))
	wantKind(t, sees(w.blog), core.KindNotFound)
	must(w.organisation.UpdateProject(t.Context(), w.actor(t, "tenant"), w.worldDesk, false, func(p *core.Project) { p.DepartmentID = 0 }))(t)
	must(w.organisation.UpdateProject(t.Context(), w.actor(t, "tenant"), w.blog, false, func(p *core.Project) { p.DepartmentID = w.newsroom.ID }))(t)
	wantKind(t, sees(w.worldDesk), core.KindNotFound)
	ok(t, sees(w.blog))
}

// Existing content serves a new locale by fallback.
func TestContentServesANewLocale(t *testing.T) {
	t.Parallel()
	w := setup(t)
	collection := &core.Collection{CreatedAt: w.clock.now, UpdatedAt: w.clock.now, ProjectID: w.worldDesk.ID, Slug: "posts", Name: "Posts", Version: 1}
	ok(t, w.stores.Collections.Insert(t.Context(), collection))
	schema := core.Schema{Project: w.worldDesk, Collection: collection, Collections: []*core.Collection{collection}}
	document := core.NewDocument(map[string]json.RawMessage{})
	entry := &core.Entry{
		ProjectID: w.worldDesk.ID, CollectionID: collection.ID, Locale: "en", Version: 1, Draft: document, Published: document,
		PublishedAt: w.clock.now, CreatedAt: w.clock.now, UpdatedAt: w.clock.now, ReleasedAt: w.clock.now,
	}
	ok(t, w.stores.Entries.Insert(t.Context(), schema, entry))

	must(w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) { p.Locales = []string{"en", "de"} }))(t)

	rows := must(w.stores.Entries.Serving(t.Context(), w.worldDesk.ID, core.StatePublished, []int64{entry.Group}, 1<<1, false))(t)
	if len(rows) != 1 || rows[0].ID != entry.ID {
		t.Errorf("the new locale serves %+v", rows)
	}
}

func TestDeleteProject(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.worldDesk, core.AbilityRead)
	target := access.Target{ProjectID: w.worldDesk.ID}
	must(w.authorizer.Authorize(t.Context(), w.actor(t, "editor"), access.ReadContent, target))(t)
	ok(t, w.organisation.DeleteProject(t.Context(), core.Actor{System: true}, w.worldDesk))
	for name, actor := range map[string]core.Actor{"super": w.actor(t, "super"), "editor": w.actor(t, "editor")} {
		_, err := w.authorizer.Authorize(t.Context(), actor, access.ReadContent, target)
		if core.KindOf(err) != core.KindNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.authorizer.Authorize(t.Context(), token, access.ReadPublic, access.Target{ProjectUUID: w.worldDesk.UUID})
	wantKind(t, err, core.KindNotFound)
	wantKind(t, w.organisation.DeleteProject(t.Context(), core.Actor{System: true}, w.worldDesk), core.KindNotFound)
}
