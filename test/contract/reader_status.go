package contract

import (
	"maps"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

var (
	requestHistories = [][]review.RequestStatus{
		nil, {review.RequestPending}, {review.RequestApproved}, {review.RequestPublished}, {review.RequestWithdrawn},
		{review.RequestRejected}, {review.RequestRevision}, {review.RequestRejected, review.RequestWithdrawn},
		{review.RequestRejected, review.RequestRevision}, {review.RequestRevision, review.RequestPending}, {review.RequestRevision, review.RequestRejected},
	}
	// schedulings change a scheduled publication and return whether its last attempt failed. nil
	// schedules none.
	schedulings = []func(p *schedule.Schedule) (failed bool){
		nil,
		func(*schedule.Schedule) bool { return false },
		func(*schedule.Schedule) bool { return true },
		func(p *schedule.Schedule) bool { p.Action = schedule.Unpublish; return true },
	}
)

// contents returns entries with all relations between their draft, their published version and the
// library. In the library, the words of kept and bare have not changed, and one word of each of the
// others has.
func contents(kept, bare, reworded, removed core.MediaItem, others ...core.MediaItem) []core.Entry {
	seal := func(content fields, items ...core.MediaItem) core.Entry {
		e := publicOf("en", content)
		e.PublishedMedia = core.Seal(items)
		return e
	}
	edited := func(e core.Entry, content fields) core.Entry {
		e.Draft = doc(content)
		return e
	}
	var all []core.Entry
	for _, other := range others {
		all = append(all, seal(fields{"title": "q", "cover": other.ID}, other))
	}
	return append(all, []core.Entry{
		seal(fields{"title": "r", "cover": bare.ID}, bare),
		draftOf("en", fields{"title": "a", "kind": "x"}),
		publicOf("en", fields{"title": "b", "cover": reworded.ID}),
		edited(publicOf("en", fields{"title": "c"}), fields{"title": "d"}),
		edited(publicOf("en", fields{"title": "e"}), fields{}),
		edited(publicOf("en", fields{"title": "f", "gone": "x"}), fields{"title": "f", "gone": "y"}),
		edited(publicOf("en", fields{"title": "f", "gone": "x"}), fields{"title": "g", "gone": "y"}),
		edited(publicOf("en", fields{"gone": "x"}), fields{"lost": []string{"y"}}),
		seal(fields{"title": "h", "cover": kept.ID, "proof": reworded.ID, "lost": []string{"z"}}, kept),
		seal(fields{"title": "i", "cover": reworded.ID}, reworded),
		seal(fields{"title": "j", "pages": []int64{kept.ID, removed.ID}}, kept, removed),
		seal(fields{"title": "k", "pages": []int64{kept.ID, reworded.ID}}, kept),
		seal(fields{"title": "l", "cover": 1 << 40}, kept),
		edited(seal(fields{"title": "m", "cover": kept.ID, "gone": "x"}, kept), fields{"title": "m", "cover": kept.ID}),
		edited(seal(fields{"title": "n", "cover": reworded.ID, "gone": "x"}, reworded), fields{"title": "n", "cover": reworded.ID}),
		edited(seal(fields{"title": "o", "cover": kept.ID}, kept), fields{"title": "o", "cover": reworded.ID}),
		seal(fields{"body": textOf(shownByID, kept.ID) + textOf(entryLink, reworded.ID)}, kept),
		seal(fields{"body": textOf(shownByID, kept.ID) + textOf(fileLink, reworded.ID)}, kept, reworded),
		seal(fields{"body": textOf(shownByID, removed.ID)}, removed),
		{Locale: "en", Version: 1, Draft: doc(fields{"title": "p"}), CreatedAt: at(1), UpdatedAt: at(2), TrashedAt: at(9)},
	}...)
}

// selectsByStatus compares the entries that each status selects with the status that
// entrystatus.FactsOf gives each entry, for each pair of content, requests and schedules.
func selectsByStatus(t *testing.T, w *fixture) {
	kind := titleField()
	kind.Name = "kind" // a filter that has an index
	list := append(mediaFields(), kind, &core.Field{Name: "body", Type: core.TypeRichText}, &core.Field{Name: "gone", Type: core.TypeText}, &core.Field{Name: "lost", Type: core.TypeText, Multiple: true})
	coll := newTestCollection(t, w, "articles", list...)
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = c.Fields[6:], c.Fields[:6] })
	other := newTestCollection(t, w, "others", titleField())
	untouched := other.add(t, draftOf("en", fields{"title": "a"}))
	tagged := func(m *core.MediaItem) { m.Caption, m.Tags = "\"größe\" <b>&\u2028", []string{"<a>", "\u2028 &"} }
	kept, reworded, removed := newMedia(t, w, tagged), newMedia(t, w), newMedia(t, w, func(m *core.MediaItem) { m.Tags = nil })
	empty := func(m *core.MediaItem) { m.Caption, m.Alt, m.Tags, m.FocalPoint = "", "", nil, nil }
	bare, described, undescribed := newMedia(t, w, empty), newMedia(t, w, empty), newMedia(t, w)
	pointed, moved, centred := newMedia(t, w, empty), newMedia(t, w), newMedia(t, w)

	statuses := map[int64]entrystatus.Status{}
	library := func() []core.MediaItem {
		return result(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{
			kept.ID, reworded.ID, removed.ID, bare.ID, described.ID, undescribed.ID, pointed.ID, moved.ID, centred.ID,
		}))(t)
	}
	present := contents(kept, bare, reworded, removed, described, undescribed, pointed, moved, centred)
	described.Alt, undescribed.Alt = "new", ""
	pointed.FocalPoint, moved.FocalPoint, centred.FocalPoint = moved.FocalPoint, &core.FocalPoint{X: 0.1, Y: 2e-7}, nil
	for _, changed := range []core.MediaItem{described, undescribed, pointed, moved, centred} {
		requireNoError(t, w.Media.Update(t.Context(), &changed))
	}
	reworded.Tags = append(reworded.Tags, "new")
	requireNoError(t, w.Media.Update(t.Context(), &reworded))
	requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, removed.ID))
	now := library()
	group := int64(0)
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		add := func(e core.Entry, history []review.RequestStatus, scheduling func(*schedule.Schedule) bool) error {
			if e.TrashedAt.IsZero() && group != 0 && len(statuses)%3 == 0 { // a translation, for fallbacks
				e.Group, e.Locale, group = group, "fr", 0
			}
			e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
			if err := s.Entries.Insert(t.Context(), coll.schema, &e); err != nil {
				return err
			}
			if e.Locale == "en" {
				group = e.Group
			}
			latest, scheduled, err := w.stand(t, s, &e, history, scheduling)
			if err == nil {
				statuses[e.ID] = entrystatus.FactsOf(coll.schema.Collection, &e, now, latest, scheduled).Status()
			}
			return err
		}
		for i, e := range present {
			for j, history := range requestHistories {
				for k, scheduling := range schedulings {
					if (i+j+k)%4 > 0 { // a quarter of them still has each pair
						continue
					}
					if err := add(e, history, scheduling); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})))
	for _, status := range entrystatus.Listed() {
		if !slices.Contains(slices.Collect(maps.Values(statuses)), status) {
			t.Errorf("no entry is %s", status)
		}
	}

	title := coll.schema.Collection.Field("title")
	byTitle := []query.SortKey{{Field: title, Desc: true}, {Field: core.SystemID, Desc: true}}
	for _, change := range []func(sel *query.Selection){
		func(*query.Selection) {},
		func(sel *query.Selection) { sel.State = core.StatePublished },
		func(sel *query.Selection) { sel.State, sel.Locale = core.StatePublished, "fr-CA" },
		func(sel *query.Selection) { sel.State = core.StateOnlyDraft },
		func(sel *query.Selection) { sel.Locale = "en" },
		func(sel *query.Selection) { sel.Locale, sel.Sort = "fr-CA", byTitle },
		func(sel *query.Selection) {
			sel.Where = []query.Predicate{clause(coll, "title", query.OpGreater, text("f"))}
		},
		func(sel *query.Selection) { sel.Where = []query.Predicate{clause(coll, "kind", query.OpNotNull)} },
		func(sel *query.Selection) {
			sel.Sort, sel.Where = byTitle, []query.Predicate{clause(coll, "title", query.OpNot, text("m"))}
		},
		func(sel *query.Selection) {
			sel.Sort, sel.Where = byTitle, []query.Predicate{clause(coll, "cover", query.OpNull)}
		},
		func(sel *query.Selection) {
			sel.Or = [][]query.Predicate{{like(coll, "title", "m")}, {like(coll, "title", "D")}}
		},
	} {
		sel := coll.all()
		sel.State, sel.Limit = core.StateWithDraft, int64(len(statuses))
		change(&sel)
		selectsStatuses(t, coll, sel, statuses)
	}
	sel := other.all()
	sel.State, sel.Status = core.StateWithDraft, entrystatus.Draft
	assertEqual(t, other.list(t, sel), []int64{untouched.ID})
}

// selectsStatuses compares sel, restricted to each status, with its entries of that status.
func selectsStatuses(t *testing.T, coll *testCollection, sel query.Selection, statuses map[int64]entrystatus.Status) {
	t.Helper()
	all := coll.list(t, sel)
	for _, status := range entrystatus.Listed() {
		sel := sel
		sel.Status = status
		want := slices.DeleteFunc(slices.Clone(all), func(id int64) bool { return statuses[id] != status })
		if len(want) == 0 {
			want = nil
		}
		assertEqual(t, coll.list(t, sel), want)
		if len(want) > 7 {
			sel.Offset, sel.Limit = 3, 4
			assertEqual(t, coll.list(t, sel), want[3:8])
		}
	}
}

// stand stores the requests of an entry and its schedule. It returns the status of the latest
// request and the scheduled publication.
func (w *fixture) stand(
	t *testing.T, s ports.Stores, e *core.Entry, history []review.RequestStatus, scheduling func(*schedule.Schedule) bool,
) (latest review.RequestStatus, publication *schedule.Schedule, err error) {
	for _, latest = range history {
		r := w.newRequest(e.ID)
		r.Item().CollectionID = e.CollectionID
		if err := w.trySubmit(t, s, &r); err != nil {
			return "", nil, err
		}
		if latest == review.RequestPending {
			continue
		}
		r.Status, r.Version = latest, r.Version+1
		if err := s.Requests.Update(t.Context(), &r, []*review.Action{actionOf(&r, review.ActionApprove)}); err != nil {
			return "", nil, err
		}
	}
	if scheduling == nil {
		return latest, nil, nil
	}
	p := schedule.Schedule{ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, Action: schedule.Publish, DueAt: at(8), RetryAt: at(8)}
	failed := scheduling(&p)
	if err := s.Schedules.Schedule(t.Context(), p); err != nil {
		return "", nil, err
	}
	if failed {
		if err := s.Schedules.RecordFailure(t.Context(), p, "fields.title is required", 0); err != nil {
			return "", nil, err
		}
	}
	if p.Action == schedule.Unpublish {
		return latest, nil, nil
	}
	if publication = &p; failed {
		publication.LastFault = "fields.title is required"
	}
	return latest, publication, nil
}
