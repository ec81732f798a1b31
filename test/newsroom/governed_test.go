package newsroom_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// lead is a field that tests add to the articles.
var lead = definition.FieldInput{Name: "lead", Type: core.TypeText}

// publicChanges are changes of definitions that readers of published articles see, in an order
// in which they can be made. The articles have the field lead.
var publicChanges = []struct {
	name  string
	event event.Type
	do    func(w *newsroom.Fixture, acknowledged bool) error
}{
	{"default locale", event.ProjectAcknowledged, changeOf(func(p *core.Project) { p.DefaultLocale = "de" })},
	{"fallbacks", event.ProjectAcknowledged, changeOf(func(p *core.Project) { p.Fallbacks = map[string][]string{"de": {"en"}} })},
	{"locales", event.ProjectAcknowledged, changeOf(func(p *core.Project) {
		p.Locales = []string{"en", "de", "en-GB"}
		p.Fallbacks = map[string][]string{"de": {"en"}, "en-GB": {"de"}}
	})},
	{"field removed", event.CollectionAcknowledged, func(w *newsroom.Fixture, acknowledged bool) error {
		_, err := w.Collections.RemoveField(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: acknowledged}, "lead")
		return err
	}},
	{"field added again", event.CollectionAcknowledged, addLead},
	{"field hidden", event.CollectionAcknowledged, func(w *newsroom.Fixture, acknowledged bool) error {
		hide := func(in definition.FieldInput) definition.FieldInput {
			in.Hidden = true
			return in
		}
		_, err := w.Collections.ReviseField(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: acknowledged}, "lead", hide)
		return err
	}},
	{"collection deleted", event.CollectionAcknowledged, func(w *newsroom.Fixture, acknowledged bool) error {
		return w.Collections.Delete(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: acknowledged})
	}},
}

func changeOf(change func(*core.Project)) func(*newsroom.Fixture, bool) error {
	return func(w *newsroom.Fixture, acknowledged bool) error {
		return w.Change(w.Context(), acknowledged, change)
	}
}

func addLead(w *newsroom.Fixture, acknowledged bool) error {
	_, err := w.Collections.AddField(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: acknowledged}, lead)
	return err
}

// eventTypes returns the types of all events of the Project.
func eventTypes(w *newsroom.Fixture) []event.Type {
	events, err := w.Stores.Events.Events(w.Context(), ports.EventQuery{ProjectID: w.Project.ID, Limit: 1 << 20})
	w.OK(err)
	types := make([]event.Type, len(events))
	for i, e := range events {
		types[i] = e.Type
	}
	return types
}

// onAllStores runs a test on memory, SQLite and Postgres, with a Fixture of its own.
func onAllStores(t *testing.T, test func(t *testing.T, w *newsroom.Fixture)) {
	t.Helper()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			test(t, newsroom.New(t, stores, tx, systemclock.New()))
		})
	}
}

// A change that readers see is refused without effect. Acknowledged, it is made and recorded.
func TestPublicChangesAreAcknowledged(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		w.OK(addLead(w, false))
		id := w.Create(newsroom.Article("A", newsroom.Field("lead", "B"), newsroom.Published(true))).ID
		w.OK(w.Approve("admin", id))
		for _, change := range publicChanges {
			before := eventTypes(w)
			if err := change.do(w, false); !errors.Is(err, core.Conflict("governed", "any")) {
				t.Fatalf("%s: got %v, want a conflict of code governed", change.name, err)
			}
			if after := eventTypes(w); !slices.Equal(before, after) {
				t.Fatalf("%s was refused but recorded %v", change.name, after[len(before):])
			}
			w.OK(change.do(w, true))
			if recorded := eventTypes(w)[len(before):]; len(recorded) == 0 || recorded[0] != change.event {
				t.Errorf("%s recorded %v, want first %s", change.name, recorded, change.event)
			}
		}
	})
}

// Without a workflow or a published entry, the same changes need no acknowledgement.
func TestOtherChangesAreNotAcknowledged(t *testing.T) {
	t.Parallel()
	for name, governed := range map[string]bool{"no workflow": false, "nothing published": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
				if governed {
					w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
				}
				w.OK(addLead(w, false))
				w.Create(newsroom.Article("A", newsroom.Field("lead", "B"), newsroom.Published(true)))
				for _, change := range publicChanges {
					w.OK(change.do(w, false))
				}
				for _, kind := range eventTypes(w) {
					if kind == event.ProjectAcknowledged || kind == event.CollectionAcknowledged {
						t.Errorf("recorded %s", kind)
					}
				}
			})
		})
	}
}

// A value of a field that was removed before the publication is in no publication. It does not
// become public when the field is added again, whether or not a workflow governs the Project.
func TestPublicationsLeaveOutRemovedFields(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		w.OK(addLead(w, false))
		id := w.Create(newsroom.Article("A", newsroom.Field("lead", "unseen"))).ID
		_, err := w.Collections.RemoveField(t.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID}, "lead")
		w.OK(err)
		w.Update(id, core.EntryWrite{Published: new(true)})
		if m := w.Update(id, core.EntryWrite{Published: new(true)}); m.HasUnpublishedChanges {
			t.Errorf("the value of a removed field counts as an unpublished change: %+v", m)
		}
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		w.OK(addLead(w, true))
		e := w.Entry(id)
		if _, hash, _ := w.Articles.Snapshot(e.Locale, e.Published, e.PublishedMedia); string(e.Published) != `{"tags":[],"title":"A"}` || hash != e.PublishedHash {
			t.Errorf("published %s", e.Published)
		}
		if !strings.Contains(string(e.Draft), "unseen") {
			t.Errorf("draft %s", e.Draft)
		}
	})
}

// Media of a removed field are sealed when the field is added again: readers of a governed
// Project do not see captions that were written later.
func TestMediaOfReturnedFieldsAreSealed(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		picture := w.Picture("old")
		id := w.Create(newsroom.Article("A", newsroom.Cover(picture), newsroom.Published(true))).ID
		cover := definition.FieldInput{Name: "cover", Type: core.TypeMedia}
		_, err := w.Collections.RemoveField(t.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID}, "cover")
		w.OK(err)
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		_, err = w.Collections.AddField(t.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: true}, cover)
		w.OK(err)
		if sealed := string(w.Entry(id).PublishedMedia); !strings.Contains(sealed, `"caption":"old"`) {
			t.Errorf("sealed media %q", sealed)
		}
	})
}

// What a publication or an open request is sealed with cannot be deleted, also while no definition has it.
func TestSealedMediaOfRemovedFieldsStay(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		public, waiting, former := w.Picture("public"), w.Picture("waiting"), w.Picture("former")
		a := w.Create(newsroom.Article("A", newsroom.Cover(former), newsroom.Published(true))).ID
		w.OK(w.Approve("admin", a))
		w.Update(a, newsroom.Article("A", newsroom.Cover(public), newsroom.Published(true)))
		w.OK(w.Approve("admin", a))
		b := w.Create(newsroom.Article("B", newsroom.Cover(waiting), newsroom.Published(true))).ID
		ofArticles := definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: true}
		_, err := w.Collections.RemoveField(t.Context(), ofArticles, "cover")
		w.OK(err)
		for entry, picture := range map[int64]int64{a: public, b: waiting} {
			err := w.Library.Delete(t.Context(), w.Actor("editor"), w.Project, picture, false)
			fault, ok := errors.AsType[*core.Error](err)
			if !ok || fault.Code != "in_use" || len(fault.Fields) != 1 || fault.Fields[0].Location != fmt.Sprintf("collections/articles/entries/%d", entry) {
				t.Errorf("deleting the picture of %d: %v", entry, err)
			}
		}
		w.OK(w.Library.Delete(t.Context(), w.Actor("editor"), w.Project, former, false))
	})
}

// A value of a field that was removed before the submission is not in the snapshot, so that
// no reviewer sees it. It does not become public when the field is added again.
func TestReleasesLeaveOutRemovedFields(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		w.OK(addLead(w, false))
		id := w.Create(newsroom.Article("A", newsroom.Field("lead", "unseen"))).ID
		_, err := w.Collections.RemoveField(t.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID}, "lead")
		w.OK(err)
		w.Update(id, core.EntryWrite{Published: new(true)})
		w.OK(w.Approve("admin", id))
		m := w.Update(id, core.EntryWrite{Published: new(true)})
		if m.HasUnpublishedChanges || m.Approval.Status != review.RequestPublished {
			t.Errorf("the value of a removed field counts as an unpublished change: %+v", m)
		}
		w.OK(addLead(w, true))
		if published := string(w.Entry(id).Published); published != `{"tags":[],"title":"A"}` {
			t.Errorf("published %s", published)
		}
	})
}
