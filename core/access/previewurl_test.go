package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
)

// newsPages gives World Desk a collection with one field of each kind that a preview URL may or
// may not name.
func newsPages(t *testing.T, w *fixture) {
	t.Helper()
	ok(t, w.stores.Collections.Insert(t.Context(), &core.Collection{
		CreatedAt: w.clock.now, UpdatedAt: w.clock.now, ProjectID: w.worldDesk.ID, Slug: "news", Name: "News", Version: 1, Fields: []*core.Field{
			{ID: 1, Name: "title", Type: core.TypeText}, {ID: 2, Name: "slug", Type: core.TypeSlug},
			{ID: 3, Name: "tags", Type: core.TypeText, Multiple: true}, {ID: 4, Name: "note", Type: core.TypeText, Hidden: true},
			{ID: 5, Name: "views", Type: core.TypeNumber},
		},
	}))
}

func setPreview(t *testing.T, w *fixture, url string) (*core.Project, error) {
	t.Helper()
	return w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) { p.PreviewURL = url })
}

func TestPreviewURLs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	newsPages(t, w)
	for _, url := range []string{
		"https://www.example.com", "http://localhost:3000/{slug}", "https://www.example.com/{locale}/news/{slug}?preview={id}&v={version}#{title}",
		"https://www.example.com/{collection}/{slug}-{id}", "https://www.example.com?id={id}", "https://[::1]:8443/{id}", "https://www.example.com/é/{id}?q=%20",
		"https://www.example.com/" + strings.Repeat("é", 1976),
	} {
		p, err := setPreview(t, w, url)
		if err != nil || p.PreviewURL != url {
			t.Errorf("%s: %+v, %v", url, p, err)
		}
	}
	p, err := w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) { p.PreviewURL = "" })
	if err != nil || p.PreviewURL != "" {
		t.Errorf("null: %+v, %v", p, err)
	}
}

func TestHostilePreviewURLsAreRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	newsPages(t, w)
	const origin, form, braces = "must begin with an http or https origin", "must be a URL", "braces"
	for url, message := range map[string]string{
		"javascript:alert(1)": origin, "javascript://www.example.com/%0aalert(1)": origin, "JavaScript://a/{id}": origin, "data:text/html,<p>": origin,
		"data://www.example.com/": origin, "file:///etc/passwd": origin, "blob:https://www.example.com/{id}": origin, "ftp://www.example.com/": origin, "capacitor://localhost": origin,
		"//www.example.com/{id}": origin, "/{id}": origin, "www.example.com": origin, "https:": origin, "https://": origin, "https:///a": origin, " https://www.example.com": origin,
		"https:\\\\www.example.com": origin, "https:/www.example.com": origin, "\thttps://www.example.com": origin, "java\nscript:alert(1)": origin, "{id}": origin,
		"https://user:secret@www.example.com/": origin, "https://user@www.example.com": origin, "https://@www.example.com/": origin, "https://www.example.com:secret@evil.example/": origin,
		"https://{slug}/": origin, "https://{locale}.example.com/{id}": origin, "https://www.example.com{slug}/": origin, "https://www.example.com:{id}/": origin,
		"https://{id}@www.example.com/": origin, "{id}://www.example.com/": origin, "http{slug}://www.example.com/": origin,
		"https://www.example.com\\@evil.example/": origin, "https://www.example.com\\.evil.example": origin, "https://www%2eexample.com/": origin, "https://exa\u200bmple.com/": origin,
		"https://www.example.com:/": origin, "https://WWW.example.com/": origin, "https://www.example.com:443/": origin, "https://*.example.com/": origin, "https://www.example.com:65536/": origin, "https://www.example.com:0080/": origin,
		"https://www.example.com/a b": form, "https://www.example.com/\\{id}": form, "https://www.example.com/\x00": form, "https://www.example.com/\r\nSet-Cookie: a": form,
		"https://www.example.com/\u202e{id}": form, "https://www.example.com/\xff": form, "https://www.example.com/%zz": form, "https://www.example.com/%{id}": form, "https://www.example.com/%4{id}": form,
		"https://www.example.com/{": braces, "https://www.example.com/id}": braces, "https://www.example.com/{{id}}": braces, "https://www.example.com/{a{id}b}": braces,
		"https://www.example.com/" + strings.Repeat("é", 1977): "at most 2000 characters",
		"https://www.example.com/{titel}":                      "unknown placeholder {titel}", "https://www.example.com/{}": "unknown placeholder {}", "https://www.example.com/{ID}": "unknown placeholder {ID}",
		"https://www.example.com/{tags}": "unknown placeholder {tags}", "https://www.example.com/{note}": "unknown placeholder {note}", "https://www.example.com/{views}": "unknown placeholder {views}",
		"https://www.example.com/{createdAt}": "unknown placeholder {createdAt}",
	} {
		_, err := setPreview(t, w, url)
		if err == nil {
			t.Errorf("%q was accepted", url)
			continue
		}
		wantFaults(t, err, "previewUrl")
		if got := asError(t, err).Fields[0].Message; !strings.Contains(got, message) {
			t.Errorf("%q: %q, want %q", url, got, message)
		}
	}
	if stored := must(w.stores.Projects.Project(t.Context(), w.worldDesk.ID))(t); stored.PreviewURL != "" {
		t.Errorf("stored %q", stored.PreviewURL)
	}
}

// A field can be removed while the URL names it. Other settings can still be changed.
func TestStalePlaceholdersDoNotHinderOtherChanges(t *testing.T) {
	t.Parallel()
	w := setup(t)
	newsPages(t, w)
	const url = "https://www.example.com/{slug}"
	must(setPreview(t, w, url))(t)
	collections := must(w.stores.Collections.Collections(t.Context(), w.worldDesk.ID))(t)
	ok(t, w.stores.Collections.Delete(t.Context(), w.worldDesk.ID, collections[0].ID))
	p := must(w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) {
		p.Name = "Desk"
		p.PreviewURL = url
	}))(t)
	if p.Name != "Desk" || p.PreviewURL != url {
		t.Errorf("%+v", *p)
	}
	_, err := setPreview(t, w, url+"?v={version}")
	wantFaults(t, err, "previewUrl")
}

func TestPreviewOrigins(t *testing.T) {
	t.Parallel()
	w := setup(t)
	set := func(origins ...string) error {
		p, err := w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) { p.PreviewOrigins = origins })
		if err == nil && !slices.Equal(p.PreviewOrigins, origins) {
			t.Errorf("%q: %q", origins, p.PreviewOrigins)
		}
		return err
	}
	ok(t, set("https://www.example.com", "https://www.example.com:8443", "http://localhost", "http://localhost:4321", "http://site.localhost", "http://127.1.2.3", "http://[::1]:4321", "https://[2001:db8::1]"))
	for _, wrong := range []string{
		"*", "", "null", "http://www.example.com", "http://0.0.0.0", "http://[2001:db8::1]", "http://localhost.example.com", "https://www.example.com/", "https://www.example.com:443", "https://WWW.example.com",
		"https://user@www.example.com", "https://*.example.com", "ftp://localhost", "javascript:alert(1)", "capacitor://localhost", "https://www.example.com;script-src", "https://www.example.com,https://a.example",
		"https://'none'", "https://www.example.com\n", " https://www.example.com", "https://" + strings.Repeat("a.", 150) + "example",
	} {
		wantFaults(t, set("https://a.example", wrong), "previewOrigins[1]")
	}
	wantFaults(t, set("https://a.example", "https://a.example"), "previewOrigins[1]")
	many := make([]string, access.MaxPreviewOrigins+1)
	for i := range many {
		many[i] = fmt.Sprintf("https://%d.example", i)
	}
	err := set(many...)
	wantFaults(t, err, "previewOrigins")
	if fault := asError(t, err).Fields[0]; fault.Message != "must have at most 10 elements" || fault.Value != nil {
		t.Errorf("%+v", fault)
	}
	ok(t, set(many[1:]...))
	_, err = w.organisation.CreateProject(t.Context(), core.Actor{System: true}, w.meridian.ID, access.ProjectInput{Name: "P", PreviewOrigins: []string{"http://a.example"}})
	wantFaults(t, err, "previewOrigins[0]")
	made := must(w.organisation.CreateProject(t.Context(), core.Actor{System: true}, w.meridian.ID, access.ProjectInput{Name: "P", PreviewOrigins: []string{"https://a.example"}}))(t)
	if !slices.Equal(made.PreviewOrigins, []string{"https://a.example"}) {
		t.Errorf("%q", made.PreviewOrigins)
	}

	// An origin of a collection stays, also beside other changes.
	ok(t, w.stores.Collections.Insert(t.Context(), &core.Collection{CreatedAt: w.clock.now, UpdatedAt: w.clock.now,
		ProjectID: w.worldDesk.ID, Slug: "news", Name: "News", Version: 1, PreviewURL: "https://1.example/{id}"}))
	wantFaults(t, set("https://2.example"), "previewOrigins")
	wantFaults(t, set(), "previewOrigins")
	ok(t, set("https://2.example", "https://1.example"))
	p := must(w.organisation.UpdateProject(t.Context(), w.actor(t, "project"), w.worldDesk, false, func(p *core.Project) { p.Name = "Desk" }))(t)
	if len(p.PreviewOrigins) != 2 {
		t.Errorf("%q", p.PreviewOrigins)
	}
}
