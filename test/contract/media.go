package contract

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// newMedia adds an item that how may change first.
func newMedia(t reporter, w *world, how ...func(*core.MediaItem)) core.MediaItem {
	t.Helper()
	item := core.MediaItem{
		ProjectID: w.project.ID, FileName: "größe 🖼.jpg", Caption: "a bridge", Tags: []string{"b", "a, c", "b"},
		MimeType: "image/jpeg", Hash: "e3b0c442", Size: 5 << 33, Width: 4000, Height: 3000,
		Kind: core.MediaImage, Full: "u/a.jpg", Thumb: "u/b.jpg", ThumbWebP: "u/c.webp", FullWebP: "u/d.webp", CreatedAt: at(1), UpdatedAt: at(2),
	}
	for _, change := range how {
		change(&item)
	}
	succeed(t, w.Media.Insert(t.Context(), &item))
	return item
}

func mediaIDs(items []core.MediaItem) []int64 {
	return ids(items, func(m core.MediaItem) int64 { return m.ID })
}

// Media checks a ports.MediaStore.
func Media(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps items whole":                     keepsMedia,
		"finds nothing of another project":      findsNoForeignMedia,
		"finds items by their hash":             findsMediaByHash,
		"lists newest first":                    listsMedia,
		"searches without regard to case":       searchesMedia,
		"updates everything but where it is":    updatesMedia,
		"deletes the row alone":                 deletesMedia,
		"reports the uses of an item":           tellsUses,
		"reports uses in several fields":        tellsUsesOnce,
		"lists pictures for rebuilding":         listsPictures,
		"refuses an item of an unknown project": refusesHomelessMedia,
		"keeps an item as it is in a transaction": func(t *testing.T, w *world) {
			item := newMedia(t, w)
			// Each reads and then writes; none is lost.
			const writers = 6
			won := race(writers, func(int) error {
				return w.do(t, func(ctx context.Context, s ports.Stores) error {
					m, err := s.Media.Media(ctx, w.project.ID, item.ID)
					if err != nil {
						return err
					}
					m.Width++
					return s.Media.Update(ctx, &m)
				})
			})
			if len(won.failures) > 0 {
				t.Fatal(won.failures)
			}
			same(t, value(w.Media.Media(t.Context(), w.project.ID, item.ID))(t).Width, item.Width+writers)
		},
	})
}

func keepsMedia(t *testing.T, w *world) {
	a, b := newMedia(t, w), newMedia(t, w)
	bare := core.MediaItem{ProjectID: w.project.ID, FileName: "notes.txt", MimeType: "text/plain", Kind: core.MediaDocument, Full: "u/x.txt", CreatedAt: at(1), UpdatedAt: at(1)}
	succeed(t, w.Media.Insert(t.Context(), &bare))
	got := map[int64]core.MediaItem{}
	for _, item := range value(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{b.ID, unknown, a.ID, bare.ID}))(t) {
		got[item.ID] = item
	}
	same(t, got, map[int64]core.MediaItem{a.ID: a, b.ID: b, bare.ID: bare})
	same(t, value(w.Media.Media(t.Context(), w.project.ID, bare.ID))(t), bare)
	a.Tags[0] = "changed"
	same(t, value(w.Media.Media(t.Context(), w.project.ID, a.ID))(t).Tags[0], "b")
}

func findsMediaByHash(t *testing.T, w *world) {
	hashed := func(hash string) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Hash = hash })
	}
	a, b, twin := hashed("aa"), hashed("bb"), hashed("aa")
	hashed("cc")
	newMedia(t, w.beside(t), func(m *core.MediaItem) { m.Hash = "aa" })
	same(t, value(w.Media.MediaByHash(t.Context(), w.project.ID, []string{"aa", "bb", "dd"}))(t), []core.MediaItem{a, b, twin})
	same(t, value(w.Media.MediaByHash(t.Context(), w.project.ID, nil))(t), []core.MediaItem{})
}

func findsNoForeignMedia(t *testing.T, w *world) {
	item, other := newMedia(t, w), w.beside(t)
	same(t, value(w.Media.MediaByIDs(t.Context(), other.project.ID, []int64{item.ID}))(t), []core.MediaItem{})
	same(t, value(w.Media.MediaByIDs(t.Context(), w.project.ID, nil))(t), []core.MediaItem{})
	refused(t, failure(w.Media.Media(t.Context(), other.project.ID, item.ID)), core.ErrNotFound)
	refused(t, failure(w.Media.Media(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
	same(t, value(w.Media.List(t.Context(), core.MediaQuery{ProjectID: other.project.ID, Limit: 9}))(t), []core.MediaItem{})
	same(t, value(w.Media.Count(t.Context(), core.MediaQuery{ProjectID: other.project.ID}))(t), int64(0))
}

func listsMedia(t *testing.T, w *world) {
	ofKind := func(kind core.MediaKind) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Kind = kind })
	}
	a, b, c := ofKind(core.MediaImage), ofKind(core.MediaVideo), ofKind(core.MediaImage)
	newMedia(t, w.beside(t))
	for _, test := range []struct {
		q     core.MediaQuery
		want  []core.MediaItem
		total int64
	}{
		{core.MediaQuery{Limit: 10}, []core.MediaItem{c, b, a}, 3},
		{core.MediaQuery{Limit: 2}, []core.MediaItem{c, b}, 3},
		{core.MediaQuery{Offset: 2, Limit: 2}, []core.MediaItem{a}, 3},
		{core.MediaQuery{Offset: 3, Limit: 2}, nil, 3},
		{core.MediaQuery{Offset: 1 << 60, Limit: 100}, nil, 3},
		{core.MediaQuery{Kind: core.MediaImage, Limit: 10}, []core.MediaItem{c, a}, 2},
		{core.MediaQuery{Kind: core.MediaImage, Offset: 1, Limit: 10}, []core.MediaItem{a}, 2},
		{core.MediaQuery{Kind: core.MediaAudio, Limit: 10}, nil, 0},
	} {
		test.q.ProjectID = w.project.ID
		same(t, value(w.Media.List(t.Context(), test.q))(t), test.want)
		same(t, value(w.Media.Count(t.Context(), test.q))(t), test.total)
	}
}

func searchesMedia(t *testing.T, w *world) {
	street := newMedia(t, w, func(m *core.MediaItem) {
		m.FileName, m.Caption, m.Tags = "IMG_0815.JPG", "Die Straße nach İzmir", nil
	})
	rate := newMedia(t, w, func(m *core.MediaItem) {
		m.FileName, m.Caption, m.Tags = "a.pdf", "", []string{"100% sûr", `back\slash`, "ΣΊΣΥΦΟΣ"}
	})
	rate.Kind = core.MediaImage
	for search, want := range map[string][]int64{
		"":              {rate.ID, street.ID},
		"STRASSE":       {street.ID},
		"strasse NACH":  {street.ID},
		"img_0815":      {street.ID},
		"img%0815":      {},
		"_":             {street.ID},
		"100%":          {rate.ID},
		"%":             {rate.ID},
		`\`:             {rate.ID},
		`k\S`:           {rate.ID},
		"SÛR":           {rate.ID},
		"sisyphos":      {},
		"σίσυφος":       {rate.ID},
		"a.pdf":         {rate.ID},
		"İZMIR":         {street.ID},
		"IZMIR":         {}, // İ folds to an i with a dot above
		"i̇zmir":        {street.ID},
		"izmirimg":      {}, // not across caption and file name
		"0815.jpg100":   {},
		"slashσίσυφος":  {},
		"slash\x1fσίσυ": {},
		"'; DROP":       {},
		"\x00":          {},
		"\xff":          {},
		"a":             {rate.ID, street.ID},
	} {
		q := core.MediaQuery{ProjectID: w.project.ID, Search: search, Limit: 10}
		got := mediaIDs(value(w.Media.List(t.Context(), q))(t))
		if !slices.Equal(got, want) {
			t.Errorf("%q found %v, want %v", search, got, want)
		}
		same(t, value(w.Media.Count(t.Context(), q))(t), int64(len(want)))
	}
	street.Caption = "changed"
	succeed(t, w.Media.Update(t.Context(), &street))
	same(t, value(w.Media.Count(t.Context(), core.MediaQuery{ProjectID: w.project.ID, Search: "straße"}))(t), int64(0))
	same(t, value(w.Media.Count(t.Context(), core.MediaQuery{ProjectID: w.project.ID, Search: "CHANGED", Kind: core.MediaImage}))(t), int64(1))
}

func updatesMedia(t *testing.T, w *world) {
	item, untouched := newMedia(t, w), newMedia(t, w)
	item = core.MediaItem{
		ID: item.ID, ProjectID: item.ProjectID, FileName: "b.png", Caption: "b", Tags: []string{"x"}, MimeType: "image/png",
		Kind: core.MediaImage, Hash: "aa", Size: 1, Width: 2, Height: 3, Full: "u/e.png", CreatedAt: at(3), UpdatedAt: at(4),
	}
	succeed(t, w.Media.Update(t.Context(), &item))
	same(t, value(w.Media.Media(t.Context(), w.project.ID, item.ID))(t), item)
	same(t, value(w.Media.Media(t.Context(), w.project.ID, untouched.ID))(t), untouched)
	stolen := item
	stolen.ProjectID = w.beside(t).project.ID
	refused(t, w.Media.Update(t.Context(), &stolen), core.ErrNotFound)
	stolen = item
	stolen.ID = unknown
	refused(t, w.Media.Update(t.Context(), &stolen), core.ErrNotFound)
	same(t, value(w.Media.Media(t.Context(), w.project.ID, item.ID))(t), item)
}

func deletesMedia(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", &core.Field{Name: "cover", Type: core.TypeMedia})
	item, kept := newMedia(t, w), newMedia(t, w)
	e := shelf.add(t, publicOf("en", fields{"cover": item.ID}))
	refused(t, w.Media.Delete(t.Context(), w.beside(t).project.ID, item.ID), core.ErrNotFound)
	succeed(t, w.Media.Delete(t.Context(), w.project.ID, item.ID))
	refused(t, w.Media.Delete(t.Context(), w.project.ID, item.ID), core.ErrNotFound)
	refused(t, failure(w.Media.Media(t.Context(), w.project.ID, item.ID)), core.ErrNotFound)
	same(t, mediaIDs(value(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{item.ID, kept.ID}))(t)), []int64{kept.ID})
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	if again := newMedia(t, w); again.ID == item.ID {
		t.Errorf("id %d was given twice", item.ID)
	}
}

func tellsUses(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles",
		&core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "near", Type: core.TypeRelation}, &core.Field{Name: "views", Type: core.TypeNumber, Multiple: true})
	plain := newShelf(t, w, "plain", titleField())
	item, other := newMedia(t, w), newMedia(t, w)
	uses := func() []core.MediaUse {
		return value(w.Media.Uses(t.Context(), w.project.ID, item.ID, 100))(t)
	}
	same(t, uses(), []core.MediaUse{})
	plain.add(t, publicOf("en", fields{"title": "x"}))
	use := func(e core.Entry, draft, published bool) core.MediaUse {
		return core.MediaUse{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: draft, Published: published}
	}
	draft := shelf.add(t, draftOf("fr", fields{"cover": item.ID}))
	public := shelf.add(t, publicOf("en", fields{"cover": item.ID}))
	shelf.add(t, publicOf("en", fields{"cover": other.ID, "near": item.ID, "views": []any{item.ID}}))
	replaced := shelf.add(t, publicOf("de", fields{"cover": item.ID}))
	shelf.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{"cover": other.ID}) })
	prepared := shelf.add(t, publicOf("ja", fields{"title": "without"}))
	shelf.change(t, &prepared, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID}) })
	edited := shelf.add(t, publicOf("en", fields{"cover": item.ID}))
	shelf.change(t, &edited, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID, "title": "new"}) })
	trashed := shelf.add(t, publicOf("en", fields{"cover": item.ID}))
	shelf.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })

	binned := use(trashed, true, true)
	binned.Trashed = true
	all := []core.MediaUse{use(draft, true, false), use(public, true, true), use(replaced, false, true), use(prepared, true, false), use(edited, true, true), binned}
	same(t, uses(), all)
	same(t, value(w.Media.Uses(t.Context(), w.project.ID, item.ID, 2))(t), all[:2])
	same(t, value(w.Media.Uses(t.Context(), w.beside(t).project.ID, item.ID, 9))(t), []core.MediaUse{})
	same(t, value(w.Media.Uses(t.Context(), w.project.ID, unknown, 9))(t), []core.MediaUse{})

	shelf.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	all[len(all)-1] = use(trashed, true, true)
	same(t, uses(), all)

	// What a request would publish counts as long as the request is open.
	asked := shelf.add(t, draftOf("en", fields{"title": "asked"}))
	request, hidden := w.newRequest(asked.ID), w.newRequest(replaced.ID)
	request.CollectionID, request.Snapshot = asked.CollectionID, doc(fields{"collection": "articles", "fields": fields{"cover": item.ID}, "locale": "en"})
	hidden.CollectionID, hidden.Locale, hidden.Withheld = asked.CollectionID, replaced.Locale, doc(fields{"cover": item.ID})
	unlike := w.newRequest(plain.add(t, draftOf("en", fields{"title": "y"})).ID)
	unlike.CollectionID, unlike.Snapshot = asked.CollectionID, doc(fields{"fields": fields{"views": []any{item.ID}}})
	for _, r := range []*core.Request{&request, &hidden, &unlike} {
		succeed(t, w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, r) })))
	}
	requested, both := use(asked, false, false), all[2]
	requested.Requested, both.Requested = true, true
	open := append(slices.Clone(all), requested)
	open[2] = both
	same(t, uses(), open)
	for _, r := range []core.Request{request, hidden} {
		r.Status, r.Version = core.RequestWithdrawn, r.Version+1
		succeed(t, w.Requests.Update(t.Context(), &r, nil))
	}
	same(t, uses(), all)
	shelf.redefine(t, func(c *core.Collection) {
		c.Removed, c.Fields = append(c.Removed, c.Fields[0]), c.Fields[1:]
	})
	same(t, uses(), []core.MediaUse{})
}

func tellsUsesOnce(t *testing.T, w *world) {
	first := newShelf(t, w, "articles", &core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "gallery", Type: core.TypeMedia, Multiple: true})
	second := newShelf(t, w, "posts", titleField(), &core.Field{Name: "photos", Type: core.TypeMedia, Multiple: true})
	item, other := newMedia(t, w), newMedia(t, w)
	a := first.add(t, publicOf("en", fields{"cover": item.ID, "gallery": []any{other.ID, item.ID, item.ID}}))
	b := second.add(t, publicOf("en", fields{"title": "b", "photos": []any{item.ID}}))
	c := first.add(t, publicOf("fr", fields{"gallery": []any{item.ID}}))
	first.change(t, &a, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID}) })
	first.change(t, &c, func(e *core.Entry) { e.Draft = doc(fields{"gallery": []any{other.ID}}) })
	same(t, value(w.Media.Uses(t.Context(), w.project.ID, item.ID, 9))(t), []core.MediaUse{
		{EntryID: a.ID, CollectionID: a.CollectionID, Locale: "en", Draft: true, Published: true},
		{EntryID: b.ID, CollectionID: b.CollectionID, Locale: "en", Draft: true, Published: true},
		{EntryID: c.ID, CollectionID: c.CollectionID, Locale: "fr", Published: true},
	})
	same(t, ids(value(w.Media.Uses(t.Context(), w.project.ID, other.ID, 9))(t), func(u core.MediaUse) int64 { return u.EntryID }), []int64{a.ID, c.ID})
}

func listsPictures(t *testing.T, w *world) {
	whole := newMedia(t, w)
	newMedia(t, w, func(m *core.MediaItem) { m.Kind = core.MediaVideo })
	var lacking []int64
	for _, drop := range []func(*core.MediaItem){
		func(m *core.MediaItem) { m.Thumb = "" }, func(m *core.MediaItem) { m.ThumbWebP = "" }, func(m *core.MediaItem) { m.FullWebP = "" },
	} {
		lacking = append(lacking, newMedia(t, w, drop).ID)
	}
	beside := w.beside(t)
	foreign := newMedia(t, beside)
	pictures := func(projectID, after int64, limit int, missing bool) []int64 {
		return mediaIDs(value(w.Media.Pictures(t.Context(), projectID, after, limit, missing))(t))
	}
	here := w.project.ID
	same(t, pictures(here, 0, 9, false), append([]int64{whole.ID}, lacking...))
	same(t, pictures(here, 0, 9, true), lacking)
	same(t, pictures(here, whole.ID, 2, false), lacking[:2])
	same(t, pictures(here, lacking[2], 2, false), []int64{})
	same(t, value(w.Media.CountPictures(t.Context(), here, 0, false))(t), int64(4))
	same(t, value(w.Media.CountPictures(t.Context(), here, lacking[0], true))(t), int64(2))
	everywhere := pictures(0, whole.ID-1, 1000, false)
	if !slices.IsSorted(everywhere) || !slices.Contains(everywhere, foreign.ID) || everywhere[0] != whole.ID {
		t.Errorf("pictures of all projects: %v, want those from %d on, %d among them", everywhere, whole.ID, foreign.ID)
	}
	if n := value(w.Media.CountPictures(t.Context(), 0, whole.ID-1, false))(t); n < 5 {
		t.Errorf("%d pictures of all projects", n)
	}
}

func refusesHomelessMedia(t *testing.T, w *world) {
	item := core.MediaItem{ProjectID: unknown, FileName: "a", CreatedAt: at(1), UpdatedAt: at(1)}
	refused(t, w.Media.Insert(t.Context(), &item), core.ErrNotFound)
}

// Blobs checks a ports.BlobLedger.
func Blobs(t *testing.T, open Factory) {
	run(t, open, cases{
		"counts the holders of a name": countsHolders,
		"keeps projects apart":         keepsLedgersApart,
		"lets go of a deleted project": releasesProject,
		"knows names":                  knowsNames,
		"lists at most the limit":      listsUnheld,
		"keeps a name while it is in work": func(t *testing.T, w *world) {
			for range 5 {
				locksNames(t, w)
			}
		},
		"counts under contention": countsInRace,
	})
}

// ledger is what a case does with names of its Project.
type ledger struct {
	t *testing.T
	w *world
}

func (l ledger) do(work func(ctx context.Context, blobs ports.BlobLedger) error) {
	l.t.Helper()
	succeed(l.t, l.w.do(l.t, func(ctx context.Context, s ports.Stores) error { return work(ctx, s.Blobs) }))
}

func (l ledger) hold(names ...string) {
	l.t.Helper()
	l.do(func(ctx context.Context, b ports.BlobLedger) error { return b.Hold(ctx, l.w.project.ID, names) })
}

func (l ledger) release(names ...string) {
	l.t.Helper()
	l.do(func(ctx context.Context, b ports.BlobLedger) error { return b.Release(ctx, l.w.project.ID, names) })
}

func (l ledger) forget(name string) (forgotten bool) {
	l.t.Helper()
	l.do(func(ctx context.Context, b ports.BlobLedger) (err error) {
		forgotten, err = b.Forget(ctx, l.w.project.ID, name)
		return err
	})
	return forgotten
}

// unheld returns the sorted names of the case's Project that nothing holds.
func (l ledger) unheld() []string {
	l.t.Helper()
	var names []string
	for _, blob := range value(l.w.Blobs.Unheld(l.t.Context(), 10_000))(l.t) {
		if blob.ProjectID == l.w.project.ID {
			names = append(names, blob.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (l ledger) known(names ...string) []string {
	l.t.Helper()
	known := value(l.w.Blobs.Known(l.t.Context(), l.w.project.ID, names))(l.t)
	slices.Sort(known)
	return known
}

func countsHolders(t *testing.T, w *world) {
	l := ledger{t, w}
	l.hold("a", "b")
	l.hold("b", "a")
	l.release("a")
	same(t, l.unheld(), []string{})
	same(t, l.forget("a"), false)
	l.release("b", "a")
	same(t, l.unheld(), []string{"a"})
	l.hold("a")
	same(t, l.forget("a"), false)
	l.release("a")
	same(t, l.forget("a"), true)
	same(t, l.forget("a"), false)
	same(t, l.known("a", "b"), []string{"b"})
	l.release("b")
	l.release("b") // once too often does not count
	l.hold("b")
	same(t, l.forget("b"), false)
	same(t, l.forget("never heard of"), false)
	l.hold()
	l.release()
}

func keepsLedgersApart(t *testing.T, w *world) {
	here, there := ledger{t, w}, ledger{t, w.beside(t)}
	here.hold("a")
	there.hold("a")
	there.release("a")
	same(t, here.unheld(), []string{})
	same(t, there.unheld(), []string{"a"})
	same(t, there.forget("a"), true)
	same(t, there.known("a"), []string{})
	same(t, here.known("a"), []string{"a"})
}

func releasesProject(t *testing.T, w *world) {
	goner := w.beside(t)
	here, there := ledger{t, w}, ledger{t, goner}
	here.hold("a")
	there.hold("a", "b")
	there.hold("b")
	succeed(t, w.Projects.Delete(t.Context(), goner.project.ID))
	same(t, there.unheld(), []string{"a", "b"})
	same(t, there.known("a", "b", "c"), []string{"a", "b"})
	same(t, here.unheld(), []string{})
	same(t, there.forget("b"), true)
}

func knowsNames(t *testing.T, w *world) {
	l := ledger{t, w}
	l.hold("a", "b/ö")
	l.release("b/ö")
	same(t, l.known("a", "b/ö", "c"), []string{"a", "b/ö"})
	same(t, l.known(), []string{})
	many := make([]string, 5000)
	for i := range many {
		many[i] = "a"
	}
	same(t, l.known(many...)[0], "a")
}

func listsUnheld(t *testing.T, w *world) {
	l := ledger{t, w}
	l.hold("a", "b", "c")
	l.release("a", "b", "c")
	same(t, len(value(w.Blobs.Unheld(t.Context(), 2))(t)), 2)
	same(t, l.unheld(), []string{"a", "b", "c"})
}

// locksNames lets one transaction forget a name while another is about to hold it: the second
// goes on only after the first has done its work, which removes the bytes.
func locksNames(t *testing.T, w *world) {
	l := ledger{t, w}
	l.hold("contended")
	l.release("contended")
	forgotten, ended := make(chan struct{}), make(chan struct{})
	var worked atomic.Bool
	removing := make(chan error, 1)
	go func() {
		defer close(ended)
		first := true
		removing <- w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
			_, err := s.Blobs.Forget(ctx, w.project.ID, "contended")
			if first {
				first = false
				close(forgotten)
			}
			time.Sleep(20 * time.Millisecond) // time for the other to overtake
			worked.Store(true)
			return err
		})
	}()
	<-forgotten
	overtook := false
	l.do(func(ctx context.Context, b ports.BlobLedger) error {
		err := b.Hold(ctx, w.project.ID, []string{"contended"})
		overtook = !worked.Load()
		return err
	})
	if overtook {
		t.Error("held a name that was about to be forgotten")
	}
	<-ended
	succeed(t, <-removing)
	same(t, l.forget("contended"), false)
	l.release("contended")
	same(t, l.forget("contended"), true)
}

func countsInRace(t *testing.T, w *world) {
	l := ledger{t, w}
	names := []string{"x", "y", "z"}
	const holders = 8
	won := race(holders, func(n int) error {
		mine := slices.Clone(names)
		if n%2 == 0 {
			slices.Reverse(mine)
		}
		return w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error { return s.Blobs.Hold(ctx, w.project.ID, mine) })
	})
	if len(won.failures) > 0 {
		t.Fatal(won.failures)
	}
	for range holders - 1 {
		l.release(names...)
	}
	same(t, l.unheld(), []string{})
	l.release(names...)
	same(t, l.unheld(), names)
}
