package releasing

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// Republisher makes versions of past publications; see writing.Writer.Republish.
type Republisher interface {
	Republish(
		ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema, e *core.Entry, fields core.Document,
	) (doc core.Document, dropped []string, found core.Faults, err error)
}

// sealed is a member as it would be submitted now.
type sealed struct {
	release.Member

	item    review.RequestItem
	entry   *core.Entry // nil: deleted, or dropped by lock
	version int64       // of the entry
	schema  core.Schema // of its collection
	doc     core.Document
	past    *core.Publication // that the member names
	dropped []string
	places  []string    // that the member changes for readers
	found   core.Faults // locations are in the entry
	gone    bool        // the entry or the publication is no longer there
}

// sealer seals members of a release together: with a few reads for all of them.
type sealer struct {
	stores  ports.Stores
	writer  Republisher
	actor   core.Actor
	project *core.Project
	// governed says that the members are sealed with their media.
	governed bool
	workflow *review.Workflow // that governs the Project; nil: none
	files    []fileurl.Base   // of this installation

	all []*sealed
	// others are members that are not sealed, by entry id; nil: all are.
	others  map[int64]release.Member
	holders []core.Entry // those of others that hold a unique value that is wanted

	collections []*core.Collection
	targets     *targets
	library     []core.MediaItem
	current     map[int64]core.Publication
}

// seal returns members, present ones, as they would be submitted now, in their order.
func (s *sealer) seal(ctx context.Context, members []release.Member) error {
	entries, err := s.read(ctx, members)
	if err != nil {
		return err
	}
	past, err := publicationsOf(ctx, s.stores, s.project.ID, members)
	if err != nil {
		return err
	}
	for _, m := range members {
		one := &sealed{Member: m, entry: entries[m.EntryID]}
		if p, ok := past[m.EntryID]; ok && m.From != 0 {
			one.past = &p
		}
		s.place(one)
		s.all = append(s.all, one)
	}
	if err := s.readTargets(ctx); err != nil {
		return err
	}
	for _, m := range s.all {
		if err := s.content(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// asSubmitted sets members, with the content that was submitted: items are theirs.
func (s *sealer) asSubmitted(ctx context.Context, members []release.Member, items []review.RequestItem) error {
	entries, err := s.read(ctx, members)
	if err != nil {
		return err
	}
	content := make(map[int64]*review.RequestItem, len(items))
	for i := range items {
		content[items[i].EntryID] = &items[i]
	}
	for _, m := range members {
		one := &sealed{Member: m, entry: entries[m.EntryID]}
		s.place(one)
		if item := content[m.EntryID]; item != nil && !one.gone && m.Action == schedule.Publish {
			one.doc, one.item.ContentHash, one.found = item.Fields(), item.ContentHash, core.Faults{}
		}
		s.all = append(s.all, one)
	}
	return s.readTargets(ctx)
}

// read reads the entries of members, their collections and what readers see of them.
func (s *sealer) read(ctx context.Context, members []release.Member) (map[int64]*core.Entry, error) {
	found, err := s.stores.Entries.Entries(ctx, s.project.ID, ids(members))
	if err != nil {
		return nil, err
	}
	if s.collections == nil {
		if s.collections, err = s.stores.Collections.Collections(ctx, s.project.ID); err != nil {
			return nil, err
		}
	}
	s.current, err = s.stores.Publications.Current(ctx, s.project.ID, ids(members))
	return core.EntriesByID(found), err
}

// place sets what m publishes, before references are known: the draft, or the fields of the publication.
func (s *sealer) place(m *sealed) {
	e := m.entry
	m.schema = core.Schema{Project: s.project, Collections: s.collections}
	if e != nil {
		m.schema.Collection = m.schema.ByID(e.CollectionID)
	}
	m.gone = e == nil || e.Trashed() || m.schema.Collection == nil
	if m.gone {
		return
	}
	m.Locale, m.version = e.Locale, e.Version
	m.item = review.RequestItem{EntryID: e.ID, CollectionID: e.CollectionID, Collection: m.schema.Collection.Key(), Locale: e.Locale, Action: m.Action}
	if base, ok := s.current[e.ID]; ok {
		m.item.BaseNumber, m.item.BaseHash = base.Number, base.ContentHash
	}
	m.BaseNumber, m.BaseHash = m.item.BaseNumber, m.item.BaseHash
	switch {
	case m.Action == schedule.Unpublish:
	case m.From == 0:
		m.doc = e.Draft
	case m.past == nil || m.past.Locale() != e.Locale:
		m.found.Add("from.publication", m.From, "is no publication of the entry in its locale")
	default:
		m.doc = core.Document(core.Document(m.past.Content).Value("fields"))
	}
}

// readTargets reads what the versions refer to.
func (s *sealer) readTargets(ctx context.Context) (err error) {
	gone, coming := map[int64]bool{}, map[int64]bool{}
	for id, m := range s.others {
		gone[id] = m.Action == schedule.Unpublish
	}
	var refs core.References
	for _, m := range s.all {
		switch {
		case m.gone:
		case m.Action == schedule.Unpublish:
			gone[m.EntryID] = true
		default:
			coming[m.entry.Group] = true
			refs.Join(m.schema.Collection.AllReferences(m.doc))
			refs.Join(m.schema.Collection.References(m.entry.Published))
		}
	}
	refs.Settle()
	if err := s.addComing(ctx, refs.Groups, coming); err != nil {
		return err
	}
	s.targets, s.library, err = readTargets(ctx, s.stores, s.project, refs, gone, coming)
	return err
}

// addComing adds the groups that members of others publish.
func (s *sealer) addComing(ctx context.Context, groups []int64, coming map[int64]bool) error {
	if len(s.others) == 0 || len(groups) == 0 {
		return nil
	}
	for some := range slices.Chunk(groups, groupsAtOnce) {
		found, err := s.stores.Entries.Translations(ctx, s.project.ID, some...)
		if err != nil {
			return err
		}
		for _, e := range found {
			m, is := s.others[e.ID]
			coming[e.Group] = coming[e.Group] || is && m.Action == schedule.Publish
		}
	}
	return nil
}

// content seals the content of m.
func (s *sealer) content(ctx context.Context, m *sealed) error {
	c, e := m.schema.Collection, m.entry
	if m.gone {
		if e != nil && c != nil {
			m.setTitle(c, e.Draft) // says which entry is in the trash
		}
		return nil
	}
	m.item.Title, m.Title = c.Title(e.Draft), c.Title(e.Draft)
	if m.Action == schedule.Unpublish || m.doc == nil {
		m.setTitle(c, e.Draft)
		m.places = c.ChangedPlaces(m.seen(s.library), nil)
		return nil
	}
	if m.From != 0 {
		stores := s.stores
		stores.Entries, stores.Media = s.targets, &s.targets.media
		var err error
		if m.doc, m.dropped, m.found, err = s.writer.Republish(ctx, stores, s.actor, m.schema, e, m.doc); err != nil {
			return err
		}
	}
	m.setTitle(c, m.doc)
	media := s.media(m)
	m.places = c.ChangedPlaces(m.seen(s.library), review.ShownWith(c, m.doc, media))
	m.item.Changed = m.places[:min(len(m.places), release.MaxChangedPaths)]
	m.Changed = m.item.Changed
	if !s.governed {
		media = nil
	}
	m.item.Snapshot, m.item.ContentHash, m.item.Withheld = c.Snapshot(e.Locale, m.doc, media)
	m.ContentHash = m.item.ContentHash
	return nil
}

func (m *sealed) setTitle(c *core.Collection, doc core.Document) {
	m.item.Title, m.item.TitleFieldID = c.Title(doc), 0
	if m.item.Title != "" {
		m.item.TitleFieldID = c.TitleField().ID
	}
	m.Title = m.item.Title
}

// media returns the sealed media of m: those that the publication was sealed with as they were then, and others as
// the library is now.
func (s *sealer) media(m *sealed) core.Document {
	media := m.schema.Collection.Seal(m.doc, s.library)
	if m.past == nil || media == nil {
		return media
	}
	then, now := core.Document(core.Document(m.past.Content).Value("media")), media.Values()
	for id := range now {
		if old := then.Value(id); old != nil {
			now[id] = old
		}
	}
	return core.NewDocument(now)
}

// seen returns what readers see of m, with its media, or nil. library has the present words of the media.
func (m *sealed) seen(library []core.MediaItem) core.Document {
	c, e := m.schema.Collection, m.entry
	if e.Published == nil {
		return nil
	}
	words := e.PublishedMedia
	if words == nil {
		words = c.Seal(e.Published, library)
	}
	return review.ShownWith(c, e.Published, words)
}

// changes returns what the members change for readers.
func (s *sealer) changes() []review.SubmittedChange {
	changes := make([]review.SubmittedChange, 0, len(s.all))
	for _, m := range s.all {
		if m.gone {
			continue
		}
		changes = append(changes, review.SubmittedChange{
			Collection: m.schema.Collection, Locale: m.Locale, Unpublish: m.Action == schedule.Unpublish, First: m.item.BaseNumber == 0, Places: m.places,
		})
	}
	return changes
}

// check adds the faults of each member that would keep it from being published, judged by what is public after the
// release.
func (s *sealer) check(ctx context.Context) error {
	for _, m := range s.all {
		if m.gone {
			continue
		}
		if m.Action == schedule.Unpublish {
			if m.item.BaseNumber == 0 {
				m.found.Add("action", string(m.Action), "is not published, so it cannot be unpublished")
			}
			continue
		}
		if m.doc == nil || len(m.found.List) > 0 && m.From != 0 {
			continue
		}
		target := ports.Targets{Entries: s.targets, Media: &s.targets.media, Titled: true}
		found, err := target.Faults(ctx, m.schema, m.doc.Values(), ports.Needs{Public: ports.AllFields, Locale: m.Locale})
		if err != nil {
			return err
		}
		if s.governed {
			validation.ForeignPictures(m.schema.Collection, m.doc, s.files, &found)
		}
		m.found.List = append(m.found.List, found.List...)
	}
	return s.checkUnique(ctx)
}

// holding is a unique value of an entry in a collection and locale.
type holding struct {
	collection int64
	locale     string
	core.UniqueValue
}

// checkUnique adds a fault for each unique value that another entry holds after the release. Drafts hold theirs
// already.
func (s *sealer) checkUnique(ctx context.Context) error {
	holders := map[holding][]*sealed{}
	past := map[int64][]*sealed{} // by collection
	for _, m := range s.all {
		if m.gone || m.doc == nil || m.From == 0 {
			continue
		}
		past[m.entry.CollectionID] = append(past[m.entry.CollectionID], m)
		for _, v := range m.schema.Collection.UniqueValues(m.doc) {
			h := holding{m.entry.CollectionID, m.Locale, v}
			holders[h] = append(holders[h], m)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(past)) {
		if err := s.checkTaken(ctx, past[id], holders); err != nil {
			return err
		}
	}
	return nil
}

// checkTaken is checkUnique for members of one collection.
func (s *sealer) checkTaken(ctx context.Context, members []*sealed, holders map[holding][]*sealed) error {
	var values []core.UniqueValue
	var locales []string
	for _, m := range members {
		values = append(values, m.schema.Collection.UniqueValues(m.doc)...)
		if !slices.Contains(locales, m.Locale) {
			locales = append(locales, m.Locale)
		}
	}
	if len(values) == 0 {
		return nil
	}
	schema := members[0].schema
	taken, err := s.stores.Entries.Holders(ctx, schema, locales, values)
	if err != nil {
		return err
	}
	if err := s.readHolders(ctx, taken); err != nil {
		return err
	}
	of := map[holding]int64{}
	for _, h := range taken {
		of[holding{schema.Collection.ID, h.Locale, h.UniqueValue}] = h.Entry
	}
	for _, m := range members {
		for _, v := range m.schema.Collection.UniqueValues(m.doc) {
			h := holding{m.entry.CollectionID, m.Locale, v}
			switch holder, held := of[h]; {
			case held && holder != m.EntryID && s.keeps(holder, v):
				m.found.Add(core.FieldLocation(v.Field), nil, "is taken by another entry")
			case len(holders[h]) > 1:
				m.found.Add(core.FieldLocation(v.Field), nil, "is also that of other members of the release: "+others(holders[h], m))
			}
		}
	}
	return nil
}

// others returns the ids of the entries of members, save for m, as text: of at most maxOthers.
func others(members []*sealed, m *sealed) string {
	var ids []string
	for _, o := range members {
		if o != m {
			ids = append(ids, strconv.FormatInt(o.EntryID, 10))
		}
	}
	if len(ids) > maxOthers {
		ids = append(ids[:maxOthers], "…")
	}
	return strings.Join(ids, ", ")
}

const maxOthers = 10

// readHolders reads the entries of taken that are members of others.
func (s *sealer) readHolders(ctx context.Context, taken []core.Holder) (err error) {
	var wanted []int64
	for _, h := range taken {
		if _, is := s.others[h.Entry]; is {
			wanted = append(wanted, h.Entry)
		}
	}
	if len(wanted) > 0 {
		s.holders, err = s.stores.Entries.Entries(ctx, s.project.ID, core.Distinct(wanted))
	}
	return err
}

// keeps reports whether an entry that holds v also does after the release: it is no member, or its draft has v.
func (s *sealer) keeps(entryID int64, v core.UniqueValue) bool {
	if at := slices.IndexFunc(s.holders, func(e core.Entry) bool { return e.ID == entryID }); at >= 0 {
		e := s.holders[at]
		schema := core.Schema{Project: s.project, Collections: s.collections}
		return slices.Contains(schema.ByID(e.CollectionID).UniqueValues(e.Draft), v)
	}
	at := slices.IndexFunc(s.all, func(m *sealed) bool { return m.EntryID == entryID && !m.gone })
	return at < 0 || slices.Contains(s.all[at].schema.Collection.UniqueValues(s.all[at].entry.Draft), v)
}

// items returns the sealed items.
func (s *sealer) items() []review.RequestItem {
	items := make([]review.RequestItem, len(s.all))
	for i, m := range s.all {
		items[i] = m.item
	}
	return items
}
