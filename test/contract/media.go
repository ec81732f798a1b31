package contract

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// newMedia stores an item, after applying how.
func newMedia(t reporter, w *fixture, how ...func(*core.MediaItem)) core.MediaItem {
	t.Helper()
	item := core.MediaItem{
		ProjectID: w.project.ID, FileName: "größe 🖼.jpg", Caption: "a bridge", Alt: "Bögen \"über\" Wasser", FocalPoint: &core.FocalPoint{X: 0.1, Y: 1e-7}, Tags: []string{"b", "a, c", "b"},
		MimeType: "image/jpeg", Hash: "e3b0c442", Uploaded: "b5bb9d80", Imported: "a1b2", Size: 5 << 33, Width: 4000, Height: 3000, Color: "#5a7d9b",
		Kind: core.MediaImage, Full: "u/a.jpg", Thumb: "u/b.jpg", ThumbWebP: "u/c.webp", FullWebP: "u/d.webp", CreatedAt: at(1), UpdatedAt: at(2),
	}
	for _, change := range how {
		change(&item)
	}
	requireNoError(t, w.Media.Insert(t.Context(), &item))
	return item
}

func mediaIDs(items []core.MediaItem) []int64 {
	return ids(items, func(m core.MediaItem) int64 { return m.ID })
}

// Media checks a ports.MediaStore.
func Media(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of an item":           keepsMedia,
		"finds nothing of another project":        findsNoForeignMedia,
		"finds items by their hash":               findsMediaByHash,
		"finds items by their files":              findsMediaByFiles,
		"lists newest first":                      listsMedia,
		"searches without regard to case":         searchesMedia,
		"lists folders and what is in them":       listsFolders,
		"moves items to a folder":                 movesMedia,
		"updates everything but the project":      updatesMedia,
		"deletes only the row":                    deletesMedia,
		"keeps an item for publications":          keepsForPublications,
		"reports the uses of an item":             reportsUses,
		"reports the sealed uses of an item":      reportsSealedUses,
		"reports the uses of an item in text":     reportsUsesInText,
		"reports an entry with several uses once": reportsUsesOnce,
		"lists pictures for rebuilding":           listsPictures,
		"refuses an item of an unknown project":   refusesUnknownProjectMedia,
		"locks an item in a transaction": func(t *testing.T, w *fixture) {
			item := newMedia(t, w)
			// Each transaction reads and then writes; no update is lost.
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
			assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, item.ID))(t).Width, item.Width+writers)
		},
	})
}

func keepsMedia(t *testing.T, w *fixture) {
	a, b := newMedia(t, w), newMedia(t, w)
	bare := core.MediaItem{ProjectID: w.project.ID, FileName: "notes.txt", MimeType: "text/plain", Kind: core.MediaDocument, Full: "u/x.txt", CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, w.Media.Insert(t.Context(), &bare))
	got := map[int64]core.MediaItem{}
	for _, item := range result(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{b.ID, unknown, a.ID, bare.ID}))(t) {
		got[item.ID] = item
	}
	assertEqual(t, got, map[int64]core.MediaItem{a.ID: a, b.ID: b, bare.ID: bare})
	assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, bare.ID))(t), bare)
	a.Tags[0] = "changed"
	assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, a.ID))(t).Tags[0], "b")
}

func findsMediaByHash(t *testing.T, w *fixture) {
	hashed := func(hash string) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Hash, m.Uploaded = hash, "" })
	}
	a, b, twin := hashed("aa"), hashed("bb"), hashed("aa")
	hashed("cc")
	newMedia(t, w.otherProject(t), func(m *core.MediaItem) { m.Hash = "aa" })
	assertEqual(t, result(w.Media.MediaByHash(t.Context(), w.project.ID, []string{"aa", "bb", "dd"}))(t), []core.MediaItem{a, b, twin})
	assertEqual(t, result(w.Media.MediaByHash(t.Context(), w.project.ID, nil))(t), []core.MediaItem{})
	cleaned := newMedia(t, w, func(m *core.MediaItem) { m.Hash, m.Uploaded = "ee", "bb" })
	assertEqual(t, result(w.Media.MediaByHash(t.Context(), w.project.ID, []string{"bb"}))(t), []core.MediaItem{b, cleaned})
	assertEqual(t, result(w.Media.MediaByHash(t.Context(), w.project.ID, []string{"bb", "ee", ""}))(t), []core.MediaItem{b, cleaned})
}

func findsNoForeignMedia(t *testing.T, w *fixture) {
	item, other := newMedia(t, w), w.otherProject(t)
	assertEqual(t, result(w.Media.MediaByIDs(t.Context(), other.project.ID, []int64{item.ID}))(t), []core.MediaItem{})
	assertEqual(t, result(w.Media.MediaByIDs(t.Context(), w.project.ID, nil))(t), []core.MediaItem{})
	requireError(t, errorOf(w.Media.Media(t.Context(), other.project.ID, item.ID)), core.ErrNotFound)
	requireError(t, errorOf(w.Media.Media(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
	assertEqual(t, result(w.Media.List(t.Context(), library.Query{ProjectID: other.project.ID, Limit: 9}))(t), []core.MediaItem{})
	assertEqual(t, result(w.Media.Count(t.Context(), library.Query{ProjectID: other.project.ID}))(t), int64(0))
}

func listsMedia(t *testing.T, w *fixture) {
	ofKind := func(kind core.MediaKind) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Kind = kind })
	}
	a, b, c := ofKind(core.MediaImage), ofKind(core.MediaVideo), ofKind(core.MediaImage)
	newMedia(t, w.otherProject(t))
	for _, test := range []struct {
		q     library.Query
		want  []core.MediaItem
		total int64
	}{
		{library.Query{Limit: 10}, []core.MediaItem{c, b, a}, 3},
		{library.Query{Limit: 2}, []core.MediaItem{c, b}, 3},
		{library.Query{Offset: 2, Limit: 2}, []core.MediaItem{a}, 3},
		{library.Query{Offset: 3, Limit: 2}, nil, 3},
		{library.Query{Offset: 1 << 60, Limit: 100}, nil, 3},
		{library.Query{Kind: core.MediaImage, Limit: 10}, []core.MediaItem{c, a}, 2},
		{library.Query{Kind: core.MediaImage, Offset: 1, Limit: 10}, []core.MediaItem{a}, 2},
		{library.Query{Kind: core.MediaAudio, Limit: 10}, nil, 0},
	} {
		test.q.ProjectID = w.project.ID
		assertEqual(t, result(w.Media.List(t.Context(), test.q))(t), test.want)
		assertEqual(t, result(w.Media.Count(t.Context(), test.q))(t), test.total)
	}
}

func searchesMedia(t *testing.T, w *fixture) {
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
		"IZMIR nach":    {},
		"IZMIR":         {street.ID},
		"sur":           {rate.ID},
		"\u0301":        {}, // nothing but an accent
		"i̇zmir":        {street.ID},
		"izmirimg":      {}, // caption and file name are searched separately
		"0815.jpg100":   {},
		"slashσίσυφος":  {},
		"slash\x1fσίσυ": {},
		"'; DROP":       {},
		"\x00":          {},
		"\xff":          {},
		"a":             {rate.ID, street.ID},
	} {
		q := library.Query{ProjectID: w.project.ID, Search: search, Limit: 10}
		got := mediaIDs(result(w.Media.List(t.Context(), q))(t))
		if !slices.Equal(got, want) {
			t.Errorf("%q found %v, want %v", search, got, want)
		}
		assertEqual(t, result(w.Media.Count(t.Context(), q))(t), int64(len(want)))
	}
	street.Caption = "changed"
	requireNoError(t, w.Media.Update(t.Context(), &street))
	assertEqual(t, result(w.Media.Count(t.Context(), library.Query{ProjectID: w.project.ID, Search: "straße"}))(t), int64(0))
	assertEqual(t, result(w.Media.Count(t.Context(), library.Query{ProjectID: w.project.ID, Search: "CHANGED", Kind: core.MediaImage}))(t), int64(1))
}

func listsFolders(t *testing.T, w *fixture) {
	in := func(folder string) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Folder = folder })
	}
	folders := func(limit int) []library.Folder {
		return result(w.Media.Folders(t.Context(), w.project.ID, limit))(t)
	}
	assertEqual(t, folders(9), []library.Folder{})
	loose, press, year, deep, more := in(""), in("Press"), in("Press/2026"), in("Über/\"a\"/%"), in("Press/2026")
	newMedia(t, w.otherProject(t), func(m *core.MediaItem) { m.Folder = "Press" })
	gone := in("Gone")
	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, gone.ID))
	all := []library.Folder{{Path: "", Items: 1}, {Path: "Press", Items: 1}, {Path: "Press/2026", Items: 2}, {Path: "Über/\"a\"/%", Items: 1}}
	assertEqual(t, folders(9), all)
	assertEqual(t, folders(2), all[:2])
	for folder, want := range map[string][]int64{
		"": {loose.ID}, "Press": {press.ID}, "Press/2026": {more.ID, year.ID}, "Über/\"a\"/%": {deep.ID}, "press": {}, "Gone": {}, "\x00": {}, "\xff": {},
	} {
		q := library.Query{ProjectID: w.project.ID, Folder: &folder, Limit: 9}
		assertEqual(t, mediaIDs(result(w.Media.List(t.Context(), q))(t)), want)
		assertEqual(t, result(w.Media.Count(t.Context(), q))(t), int64(len(want)))
	}
	press2026 := "Press/2026"
	found := library.Query{ProjectID: w.project.ID, Folder: &press2026, Search: "BRIDGE", Kind: core.MediaImage, Offset: 1, Limit: 9}
	assertEqual(t, result(w.Media.List(t.Context(), found))(t), []core.MediaItem{year})
}

func movesMedia(t *testing.T, w *fixture) {
	in := func(folder string) core.MediaItem {
		return newMedia(t, w, func(m *core.MediaItem) { m.Folder = folder })
	}
	a, b, c, untouched := in(""), in("A"), in("B"), in("A")
	foreign := newMedia(t, w.otherProject(t))
	move := func(folder string, ids ...int64) []int64 {
		return result(w.Media.Move(t.Context(), w.project.ID, ids, folder, at(7)))(t)
	}
	assertEqual(t, move("B", c.ID, unknown, b.ID, foreign.ID, a.ID, b.ID), []int64{a.ID, b.ID})
	a.Folder, a.UpdatedAt, b.Folder, b.UpdatedAt = "B", at(7), "B", at(7)
	for _, want := range []core.MediaItem{a, b, c, untouched} {
		assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, want.ID))(t), want)
	}
	assertEqual(t, result(w.Media.Media(t.Context(), foreign.ProjectID, foreign.ID))(t), foreign)
	assertEqual(t, move("B", a.ID, b.ID), []int64{})
	assertEqual(t, move("B"), []int64{})
	assertEqual(t, move("", a.ID), []int64{a.ID})
	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, c.ID))
	assertEqual(t, move("A", c.ID), []int64{})
}

func updatesMedia(t *testing.T, w *fixture) {
	item, untouched := newMedia(t, w), newMedia(t, w)
	item = core.MediaItem{
		ID: item.ID, ProjectID: item.ProjectID, FileName: "b.png", Caption: "b", Alt: "c", Folder: "d/e", Tags: []string{"x"}, MimeType: "image/png",
		Kind: core.MediaImage, Hash: "aa", Size: 1, Width: 2, Height: 3, Full: "u/e.png", CreatedAt: at(3), UpdatedAt: at(4),
	}
	requireNoError(t, w.Media.Update(t.Context(), &item))
	assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, item.ID))(t), item)
	assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, untouched.ID))(t), untouched)
	stolen := item
	stolen.ProjectID = w.otherProject(t).project.ID
	requireError(t, w.Media.Update(t.Context(), &stolen), core.ErrNotFound)
	stolen = item
	stolen.ID = unknown
	requireError(t, w.Media.Update(t.Context(), &stolen), core.ErrNotFound)
	assertEqual(t, result(w.Media.Media(t.Context(), w.project.ID, item.ID))(t), item)
}

func deletesMedia(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", &core.Field{Name: "cover", Type: core.TypeMedia})
	item, kept := newMedia(t, w), newMedia(t, w)
	e := coll.add(t, publicOf("en", fields{"cover": item.ID}))
	requireError(t, w.Media.Delete(t.Context(), w.otherProject(t).project.ID, item.ID), core.ErrNotFound)
	requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, item.ID))
	requireError(t, w.Media.Delete(t.Context(), w.project.ID, item.ID), core.ErrNotFound)
	requireError(t, errorOf(w.Media.Media(t.Context(), w.project.ID, item.ID)), core.ErrNotFound)
	assertEqual(t, mediaIDs(result(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{item.ID, kept.ID}))(t)), []int64{kept.ID})
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	if again := newMedia(t, w); again.ID == item.ID {
		t.Errorf("id %d was given twice", item.ID)
	}
}

func reportsUses(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles",
		&core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "near", Type: core.TypeRelation}, &core.Field{Name: "views", Type: core.TypeNumber, Multiple: true})
	plain := newTestCollection(t, w, "plain", titleField())
	item, other := newMedia(t, w), newMedia(t, w)
	uses := func() []library.Use {
		return result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 100))(t)
	}
	assertEqual(t, uses(), []library.Use{})
	plain.add(t, publicOf("en", fields{"title": "x"}))
	use := func(e core.Entry, draft, published bool) library.Use {
		return library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: draft, Published: published}
	}
	draft := coll.add(t, draftOf("fr", fields{"cover": item.ID}))
	public := coll.add(t, publicOf("en", fields{"cover": item.ID}))
	coll.add(t, publicOf("en", fields{"cover": other.ID, "near": item.ID, "views": []any{item.ID}}))
	replaced := coll.add(t, publicOf("de", fields{"cover": item.ID}))
	coll.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{"cover": other.ID}) })
	prepared := coll.add(t, publicOf("ja", fields{"title": "without"}))
	coll.change(t, &prepared, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID}) })
	edited := coll.add(t, publicOf("en", fields{"cover": item.ID}))
	coll.change(t, &edited, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID, "title": "new"}) })
	trashed := coll.add(t, publicOf("en", fields{"cover": item.ID}))
	coll.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })

	binned := use(trashed, true, true)
	binned.Trashed = true
	all := []library.Use{use(draft, true, false), use(public, true, true), use(replaced, false, true), use(prepared, true, false), use(edited, true, true), binned}
	assertEqual(t, uses(), all)
	assertEqual(t, result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 2))(t), all[:2])
	assertEqual(t, result(w.Media.Uses(t.Context(), w.otherProject(t).project.ID, item.ID, 9))(t), []library.Use{})
	assertEqual(t, result(w.Media.Uses(t.Context(), w.project.ID, unknown, 9))(t), []library.Use{})

	coll.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	all[len(all)-1] = use(trashed, true, true)
	assertEqual(t, uses(), all)

	// The snapshot of an open request counts as a use.
	requestedEntry := coll.add(t, draftOf("en", fields{"title": "requested"}))
	request, hidden := w.newRequest(requestedEntry.ID), w.newRequest(replaced.ID)
	request.Item().CollectionID, request.Item().Snapshot = requestedEntry.CollectionID, doc(fields{"collection": "articles", "fields": fields{"cover": item.ID}, "locale": "en"})
	hidden.Item().CollectionID, hidden.Item().Locale, hidden.Item().Withheld = requestedEntry.CollectionID, replaced.Locale, doc(fields{"cover": item.ID})
	unlike := w.newRequest(plain.add(t, draftOf("en", fields{"title": "y"})).ID)
	unlike.Item().CollectionID, unlike.Item().Snapshot = requestedEntry.CollectionID, doc(fields{"fields": fields{"views": []any{item.ID}}})
	for _, r := range []*review.Request{&request, &hidden, &unlike} {
		requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, r) })))
	}
	requested, both := use(requestedEntry, false, false), all[2]
	requested.Requested, both.Requested = true, true
	open := append(slices.Clone(all), requested)
	open[2] = both
	assertEqual(t, uses(), open)
	for _, r := range []review.Request{request, hidden} {
		r.Status, r.Version = review.RequestWithdrawn, r.Version+1
		requireNoError(t, w.Requests.Update(t.Context(), &r, nil))
	}
	assertEqual(t, uses(), all)
	coll.redefine(t, func(c *core.Collection) {
		c.Removed, c.Fields = append(c.Removed, c.Fields[0]), c.Fields[1:]
	})
	assertEqual(t, uses(), []library.Use{})
}

func reportsUsesOnce(t *testing.T, w *fixture) {
	first := newTestCollection(t, w, "articles", &core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "gallery", Type: core.TypeMedia, Multiple: true})
	second := newTestCollection(t, w, "posts", titleField(), &core.Field{Name: "photos", Type: core.TypeMedia, Multiple: true})
	item, other := newMedia(t, w), newMedia(t, w)
	a := first.add(t, publicOf("en", fields{"cover": item.ID, "gallery": []any{other.ID, item.ID, item.ID}}))
	b := second.add(t, publicOf("en", fields{"title": "b", "photos": []any{item.ID}}))
	c := first.add(t, publicOf("fr", fields{"gallery": []any{item.ID}}))
	first.change(t, &a, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID}) })
	first.change(t, &c, func(e *core.Entry) { e.Draft = doc(fields{"gallery": []any{other.ID}}) })
	assertEqual(t, result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 9))(t), []library.Use{
		{EntryID: a.ID, CollectionID: a.CollectionID, Locale: "en", Draft: true, Published: true},
		{EntryID: b.ID, CollectionID: b.CollectionID, Locale: "en", Draft: true, Published: true},
		{EntryID: c.ID, CollectionID: c.CollectionID, Locale: "fr", Published: true},
	})
	assertEqual(t, ids(result(w.Media.Uses(t.Context(), w.project.ID, other.ID, 9))(t), func(u library.Use) int64 { return u.EntryID }), []int64{a.ID, c.ID})
}

func listsPictures(t *testing.T, w *fixture) {
	whole := newMedia(t, w)
	newMedia(t, w, func(m *core.MediaItem) { m.Kind = core.MediaVideo })
	var lacking []int64
	for _, drop := range []func(*core.MediaItem){
		func(m *core.MediaItem) { m.Thumb = "" }, func(m *core.MediaItem) { m.ThumbWebP = "" },
		func(m *core.MediaItem) { m.Thumb, m.ThumbWebP, m.FullWebP = "", "", "" },
	} {
		lacking = append(lacking, newMedia(t, w, drop).ID)
	}
	animation := newMedia(t, w, func(m *core.MediaItem) { m.FullWebP = "" })
	sibling := w.otherProject(t)
	foreign := newMedia(t, sibling)
	pictures := func(projectID, after int64, limit int, missing bool) []int64 {
		return mediaIDs(result(w.Media.Pictures(t.Context(), projectID, after, limit, missing))(t))
	}
	here := w.project.ID
	assertEqual(t, pictures(here, 0, 9, false), slices.Concat([]int64{whole.ID}, lacking, []int64{animation.ID}))
	assertEqual(t, pictures(here, 0, 9, true), lacking)
	assertEqual(t, pictures(here, whole.ID, 2, false), lacking[:2])
	assertEqual(t, pictures(here, animation.ID, 2, false), []int64{})
	assertEqual(t, result(w.Media.CountPictures(t.Context(), here, 0, false))(t), int64(5))
	assertEqual(t, result(w.Media.CountPictures(t.Context(), here, lacking[0], true))(t), int64(2))
	everywhere := pictures(0, whole.ID-1, 1000, false)
	if !slices.IsSorted(everywhere) || !slices.Contains(everywhere, foreign.ID) || everywhere[0] != whole.ID {
		t.Errorf("pictures of all projects: %v, want those from %d on, %d among them", everywhere, whole.ID, foreign.ID)
	}
	if n := result(w.Media.CountPictures(t.Context(), 0, whole.ID-1, false))(t); n < 5 {
		t.Errorf("%d pictures of all projects", n)
	}
}

func refusesUnknownProjectMedia(t *testing.T, w *fixture) {
	item := core.MediaItem{ProjectID: unknown, FileName: "a", CreatedAt: at(1), UpdatedAt: at(1)}
	requireError(t, w.Media.Insert(t.Context(), &item), core.ErrNotFound)
}

// Blobs checks a ports.BlobLedger.
func Blobs(t *testing.T, open Factory) {
	run(t, open, cases{
		"counts the holders of a name":            countsHolders,
		"keeps projects apart":                    separatesProjects,
		"releases the names of a deleted project": releasesProject,
		"reports known names":                     knowsNames,
		"marks names until they are forgotten":    marksNames,
		"lists at most the limit":                 listsUnheld,
		"locks a name while it is being forgotten": func(t *testing.T, w *fixture) {
			for range 5 {
				locksNames(t, w)
			}
		},
		"counts under contention": countsInRace,
	})
}

// ledger calls a ports.BlobLedger for the project of a case.
type ledger struct {
	t *testing.T
	w *fixture
}

func (l ledger) do(work func(ctx context.Context, blobs ports.BlobLedger) error) {
	l.t.Helper()
	requireNoError(l.t, l.w.do(l.t, func(ctx context.Context, s ports.Stores) error { return work(ctx, s.Blobs) }))
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

// unheld returns the sorted names of the case's project without holders.
func (l ledger) unheld() []string {
	l.t.Helper()
	var names []string
	for _, blob := range result(l.w.Blobs.Unheld(l.t.Context(), 10_000))(l.t) {
		if blob.ProjectID == l.w.project.ID {
			names = append(names, blob.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (l ledger) known(names ...string) []string {
	l.t.Helper()
	return slices.Sorted(maps.Keys(l.marks(names...)))
}

func (l ledger) marks(names ...string) map[string]int64 {
	l.t.Helper()
	return result(l.w.Blobs.Marks(l.t.Context(), l.w.project.ID, names))(l.t)
}

// reserve returns the marks of the names.
func (l ledger) reserve(mark int64, names ...string) (marks map[string]int64) {
	l.t.Helper()
	l.do(func(ctx context.Context, b ports.BlobLedger) (err error) {
		marks, err = b.Reserve(ctx, l.w.project.ID, names, mark)
		return err
	})
	return marks
}

func countsHolders(t *testing.T, w *fixture) {
	l := ledger{t, w}
	l.hold("a", "b")
	l.hold("b", "a")
	l.release("a")
	assertEqual(t, l.unheld(), []string{})
	assertEqual(t, l.forget("a"), false)
	l.release("b", "a")
	assertEqual(t, l.unheld(), []string{"a"})
	l.hold("a")
	assertEqual(t, l.forget("a"), false)
	l.release("a")
	assertEqual(t, l.forget("a"), true)
	assertEqual(t, l.forget("a"), false)
	assertEqual(t, l.known("a", "b"), []string{"b"})
	l.release("b")
	l.release("b") // an extra release has no effect
	l.hold("b")
	assertEqual(t, l.forget("b"), false)
	assertEqual(t, l.forget("unknown"), false)
	l.hold()
	l.release()
}

func separatesProjects(t *testing.T, w *fixture) {
	here, there := ledger{t, w}, ledger{t, w.otherProject(t)}
	here.hold("a")
	there.hold("a")
	there.release("a")
	assertEqual(t, here.unheld(), []string{})
	assertEqual(t, there.unheld(), []string{"a"})
	assertEqual(t, there.forget("a"), true)
	assertEqual(t, there.known("a"), []string{})
	assertEqual(t, here.known("a"), []string{"a"})
}

func releasesProject(t *testing.T, w *fixture) {
	deleted := w.otherProject(t)
	here, there := ledger{t, w}, ledger{t, deleted}
	here.hold("a")
	there.hold("a", "b")
	there.hold("b")
	requireNoError(t, w.Projects.Delete(t.Context(), deleted.project.ID))
	assertEqual(t, there.unheld(), []string{"a", "b"})
	assertEqual(t, there.known("a", "b", "c"), []string{"a", "b"})
	assertEqual(t, here.unheld(), []string{})
	assertEqual(t, there.forget("b"), true)
}

func knowsNames(t *testing.T, w *fixture) {
	l := ledger{t, w}
	l.hold("a", "b/ö")
	l.release("b/ö")
	assertEqual(t, l.known("a", "b/ö", "c"), []string{"a", "b/ö"})
	assertEqual(t, l.known(), []string{})
	many := make([]string, 5000)
	for i := range many {
		many[i] = "a"
	}
	assertEqual(t, l.known(many...)[0], "a")
}

func marksNames(t *testing.T, w *fixture) {
	l := ledger{t, w}
	l.hold("old")
	old := l.marks("old")["old"]
	assertEqual(t, l.reserve(7, "new", "old"), map[string]int64{"new": 7, "old": old})
	assertEqual(t, l.reserve(8, "new"), map[string]int64{"new": 7})
	assertEqual(t, l.unheld(), []string{"new"})
	assertEqual(t, len(l.reserve(9)), 0)
	l.hold("new", "old")
	l.release("new", "old")
	assertEqual(t, l.marks("new", "old", "unknown"), map[string]int64{"new": 7, "old": old})
	there := ledger{t, w.otherProject(t)}
	assertEqual(t, there.reserve(9, "new"), map[string]int64{"new": 9})
	l.release("old")
	assertEqual(t, l.forget("new"), true)
	assertEqual(t, l.forget("old"), true)
	assertEqual(t, len(l.marks("new", "old")), 0)
	l.hold("new", "old")
	marks := l.marks("new", "old")
	assertEqual(t, marks["new"] != 7 && marks["old"] != old, true)
}

func listsUnheld(t *testing.T, w *fixture) {
	l := ledger{t, w}
	l.hold("a", "b", "c")
	l.release("a", "b", "c")
	assertEqual(t, len(result(w.Blobs.Unheld(t.Context(), 2))(t)), 2)
	assertEqual(t, l.unheld(), []string{"a", "b", "c"})
}

// locksNames lets one transaction forget a name while another wants to hold it. The second must
// wait until the first has done its work, which removes the bytes.
func locksNames(t *testing.T, w *fixture) {
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
			time.Sleep(20 * time.Millisecond) // lets a missing lock show
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
		t.Error("Hold did not wait for Forget")
	}
	<-ended
	requireNoError(t, <-removing)
	assertEqual(t, l.forget("contended"), false)
	l.release("contended")
	assertEqual(t, l.forget("contended"), true)
}

func countsInRace(t *testing.T, w *fixture) {
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
	assertEqual(t, l.unheld(), []string{})
	l.release(names...)
	assertEqual(t, l.unheld(), names)
}
