package reading

import (
	"context"
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/fileurl"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// Changes gives copies of the published content of Projects: first everything that is public, then what
// has changed. It is safe for concurrent use.
//
// A page is a part of the walk through everything, or of the public events between two marks of the
// database. Events only name what has changed: a page shows its present state. So nothing is missed,
// whatever changes between two pages, and a thing is shown once in a page.
type Changes struct {
	log     ports.PublicLog
	entries ports.EntryStore
	media   ports.MediaStore
	schemas ports.Definitions
	files   fileurl.Base
	whole   *wholeness
}

// NewChanges returns Changes. They read definitions from the store, not from a cache: a copy that is read
// again after a change of a definition must not get the old one.
func NewChanges(stores ports.Stores, files fileurl.Base) *Changes {
	return &Changes{log: stores.Log, entries: stores.Entries, media: stores.Media, schemas: stores.Collections, files: files, whole: &wholeness{entries: stores.Entries}}
}

// ChangesQuery selects a page of changes.
type ChangesQuery struct {
	Since      string // ChangesPage.Next of the page before; empty: from the beginning
	Collection string // slug: only its entries; empty: all
	Locale     string // only entries in it, without fallbacks; empty: all
	Limit      *int64
}

// The limits of a page of changes.
const (
	DefaultChanges = 100
	MaxChanges     = 500
	// maxVersions is the size in bytes of the versions after which a page ends.
	maxVersions = 4 << 20
	// maxWalked is the number of collections that one page reads.
	maxWalked = 20
	// maxScanned is the number of events that one page reads.
	maxScanned = 1500
	// refreshed is the age from which the cursor of a page without changes is replaced, so that it does
	// not expire.
	refreshed = time.Hour
)

// ChangeOp is what a copy has to do.
type ChangeOp string

// The operations of changes.
const (
	ChangePut          ChangeOp = "put"          // add the entry, or replace it
	ChangeDelete       ChangeOp = "delete"       // remove the entry
	ChangeMedia        ChangeOp = "media"        // add the media item, or replace it
	ChangeMediaDeleted ChangeOp = "mediaDeleted" // remove the media item
	ChangeReset        ChangeOp = "reset"        // read the collection, or everything, from the beginning
)

// PublicChange is one change of the published content.
type PublicChange struct {
	Op          ChangeOp
	ID          int64
	Group       int64
	Collection  string // slug; of ChangeReset: empty means everything
	Locale      string
	ContentHash string
	PublishedAt time.Time
	Entry       []byte // JSON: the entry without anything that depends on other entries
	Media       *core.MediaItem
}

// ChangesPage is a page of changes.
type ChangesPage struct {
	Changes []PublicChange
	Next    string // the cursor of the next page
	HasMore bool   // there is more already
}

// errExpired is returned for cursors before the oldest events.
var errExpired = &core.Error{
	Kind: core.KindGone, Code: "cursor_expired", Message: "the cursor is older than the changes that are kept, or than a restore of the database: read everything again, without since",
}

// Page returns a page. A limit out of range, an unknown locale or collection and a cursor of something
// else are core.KindBadRequest; a cursor that is too old is core.KindGone.
func (c *Changes) Page(ctx context.Context, project *core.Project, q ChangesQuery) (page *ChangesPage, err error) {
	err = c.whole.read(ctx, project.ID, func(_ ports.EntryReader, seen *release.Seen) error {
		page, err = c.newPage(ctx, project, q, seen)
		return err
	})
	return page, err
}

// newPage returns a page. It notes its statements in seen.
func (c *Changes) newPage(ctx context.Context, project *core.Project, q ChangesQuery, seen *release.Seen) (*ChangesPage, error) {
	p, err := c.at(ctx, project, q, seen)
	if err != nil {
		return nil, err
	}
	return p.read()
}

// at returns a page without changes, at the position of the query. It notes its statements in seen.
func (c *Changes) at(ctx context.Context, project *core.Project, q ChangesQuery, seen *release.Seen) (*changesPage, error) {
	collections, err := c.schemas.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	p := &changesPage{Changes: c, ctx: ctx, schema: core.Schema{Project: project, Collections: collections}, query: q, limit: DefaultChanges, seen: seen}
	if err := p.check(); err != nil {
		return nil, err
	}
	seen.SawUnknown()
	now, keptSince, err := c.log.Mark(ctx)
	if err != nil {
		return nil, err
	}
	p.now, p.definitions = now, definitionsOf(p.schema, c.files, q.Collection)
	p.at = changesCursor{since: now, definitions: p.definitions, walk: &walk{}}
	if q.Since != "" {
		at := readChangesCursor(project.ID, q)
		switch {
		case at == nil:
			return nil, core.BadParameter("since", nil, "is not a cursor of these changes")
		case at.since.At.Before(keptSince.Add(time.Minute)):
			return nil, errExpired
		}
		if err := c.known(ctx, at, now, keptSince); err != nil {
			return nil, err
		}
		p.at = *at
	}
	return p, nil
}

// known returns errExpired unless the database once had the latest mark of the cursor. A database that was
// restored to an earlier moment has another epoch. While the restore is unnoticed, it lacks the last event
// below the mark.
func (c *Changes) known(ctx context.Context, at *changesCursor, now event.Mark, keptSince time.Time) error {
	latest := &at.since
	if at.until != nil {
		latest = at.until
	}
	if latest.Epoch != now.Epoch || latest.Next > now.Next {
		return errExpired
	}
	if latest.Event == 0 || latest.EventAt.Before(keptSince) { // it may have been deleted because of its age
		return nil
	}
	digest, err := c.log.Digest(ctx, latest.Event)
	if err == nil && digest != latest.Digest {
		err = errExpired
	}
	return err
}

// changesPage is a page that is being made.
type changesPage struct {
	*Changes

	ctx         context.Context //nolint:containedctx // of one call
	schema      core.Schema
	query       ChangesQuery
	limit       int
	now         event.Mark
	definitions definitions
	at          changesCursor // of the page; then that of the next one
	page        ChangesPage
	size        int  // of the versions so far, in bytes
	named       bool // changes have no content
	seen        *release.Seen
}

// check checks the query.
func (p *changesPage) check() error {
	if p.query.Limit != nil {
		if n := *p.query.Limit; n < 1 || n > MaxChanges {
			return core.BadParameter("limit", n, "must be from 1 to "+strconv.Itoa(MaxChanges))
		}
		p.limit = int(*p.query.Limit)
	}
	if slug := p.query.Collection; slug != "" && p.schema.BySlug(slug) == nil {
		return core.BadParameter("collection", core.Clip(slug), "names no collection")
	}
	if locale := p.query.Locale; locale != "" && !slices.Contains(p.schema.Project.Locales, locale) {
		return core.BadParameter("locale", core.Clip(locale), "is not a locale of the Project")
	}
	return nil
}

// read makes the page.
func (p *changesPage) read() (*ChangesPage, error) {
	for _, slug := range p.at.definitions.altered(p.definitions, p.schema) {
		p.add(PublicChange{Op: ChangeReset, Collection: slug})
	}
	var err error
	switch {
	case len(p.page.Changes) > 0:
		p.page.HasMore = true
	case p.at.walk != nil:
		err = p.walk()
	default:
		err = p.follow()
	}
	if err != nil {
		return nil, err
	}
	p.at.definitions = p.definitions
	if p.page.Next == "" {
		p.page.Next = p.at.encode(p.schema.Project.ID, p.query)
	}
	return &p.page, nil
}

func (p *changesPage) add(c PublicChange) { p.page.Changes = append(p.page.Changes, c) }

// room is the number of changes that the page still takes.
func (p *changesPage) room() int { return p.limit - len(p.page.Changes) }

// walk adds what is public: the entries by collection, then the library.
func (p *changesPage) walk() error {
	w := p.at.walk
	if !w.media {
		if more, err := p.walkEntries(); err != nil || more {
			p.page.HasMore = more
			return err
		}
		*w = walk{media: true}
	}
	if p.room() <= 0 {
		p.page.HasMore = true
		return nil
	}
	items, err := p.media.Following(p.ctx, p.schema.Project.ID, w.after.ID, p.room()+1)
	if err != nil {
		return err
	}
	p.page.HasMore = len(items) > p.room()
	for i := range items[:min(len(items), p.room())] {
		p.add(PublicChange{Op: ChangeMedia, ID: items[i].ID, Media: &items[i]})
		w.after.ID = items[i].ID
	}
	if p.page.HasMore {
		return nil
	}
	p.at.walk = nil
	changed, err := p.events(p.now, 1)
	p.page.HasMore = len(changed) > 0
	return err
}

// walkEntries adds entries, and reports whether there are more. It reads a bounded number of
// collections.
func (p *changesPage) walkEntries() (more bool, err error) {
	at := &p.at.walk.after
	var collections []int64
	for _, c := range p.schema.Collections {
		if c.ID >= at.CollectionID && (p.query.Collection == "" || c.Slug == p.query.Collection) {
			collections = append(collections, c.ID)
		}
	}
	slices.Sort(collections)
	some, room := collections[:min(len(collections), maxWalked)], p.room()
	found, err := p.entries.PublicPlaces(p.ctx, p.schema.Project, some, p.query.Locale, *at, room+1)
	if err != nil {
		return false, err
	}
	ids := make([]int64, min(len(found), room))
	for i := range ids {
		ids[i] = found[i].ID
	}
	done, err := p.put(ids, nil)
	switch {
	case err != nil:
		return false, err
	case done < len(found):
		*at = found[done]
		at.ID--
	case len(some) < len(collections):
		*at = core.PublicPlace{CollectionID: collections[len(some)]}
	default:
		return false, nil
	}
	return true, nil
}

// put adds the present states of entries, and of those that are not public what gone returns, unless
// gone is nil. It stops before a version with which the page would be too large, but not before the
// first one, and before an entry of a collection that is not known yet. It returns how many it added.
func (p *changesPage) put(ids []int64, gone func(id int64) PublicChange) (done int, err error) {
	if p.named {
		return p.putNames(ids, gone)
	}
	heads, err := p.versions(ids, false)
	if err != nil {
		return 0, err
	}
	var whole []int64
	for _, id := range ids {
		head, public := heads[id]
		if public && p.schema.ByID(head.CollectionID) == nil {
			break
		}
		if p.size += head.Size; public && p.size > maxVersions && len(whole) > 0 {
			break
		}
		if done++; public {
			whole = append(whole, id)
		}
	}
	versions, err := p.versions(whole, true)
	if err != nil {
		return 0, err
	}
	shaped, err := p.alone(whole, versions)
	if err != nil {
		return 0, err
	}
	for i, id := range ids[:done] {
		v, public := versions[id]
		switch {
		case public && shaped[id] == nil: // too many items before it
			return i, nil
		case public:
			p.add(PublicChange{
				Op: ChangePut, ID: id, Group: v.Group, Collection: p.schema.ByID(v.CollectionID).Slug, Locale: v.Locale,
				ContentHash: v.ContentHash, PublishedAt: v.PublishedAt, Entry: shaped[id],
			})
		case gone != nil:
			p.add(gone(id))
		}
	}
	return done, nil
}

// versions returns the published versions of entries by id.
func (p *changesPage) versions(ids []int64, documents bool) (map[int64]core.PublicVersion, error) {
	if len(ids) > 0 {
		p.seen.SawUnknown()
	}
	found, err := p.entries.PublicVersions(p.ctx, p.schema.Project.ID, ids, documents)
	byID := make(map[int64]core.PublicVersion, len(found))
	for _, v := range found {
		byID[v.ID] = v
	}
	return byID, err
}

// events returns the events of the page, at most limit.
func (p *changesPage) events(until event.Mark, limit int) ([]event.PublicEvent, error) {
	return p.log.Public(p.ctx, ports.PublicQuery{
		ProjectID: p.schema.Project.ID, Since: p.at.since, Until: until, Transaction: p.at.transaction, ID: p.at.event,
		Collection: p.query.Collection, Locale: p.query.Locale, Limit: limit,
	})
}

// thing is what an event names.
type thing struct {
	tagged event.Tagged
	id     int64
	slug   string
}

func thingOf(e *event.PublicEvent) thing {
	switch t := e.Type.Tagged(); t {
	case event.TagsEntry:
		return thing{t, e.EntryID, ""}
	case event.TagsMedia:
		return thing{t, e.SubjectID, ""}
	default:
		return thing{t, 0, e.Collection}
	}
}

// follow adds what changed between two marks.
func (p *changesPage) follow() error {
	until := p.now
	if p.at.until != nil {
		until = *p.at.until
	}
	scanned := min(3*p.limit, maxScanned)
	events, err := p.events(until, scanned)
	if err != nil {
		return err
	}
	if len(events) == 0 && p.at.event == 0 && p.now.At.Sub(p.at.since.At) < refreshed && slices.Equal(p.at.definitions.encode(nil), p.definitions.encode(nil)) {
		p.page.Next = p.query.Since // the same response again
		return nil
	}
	first := map[thing]int{} // the index of the first event of each thing
	var things []thing
	rest := len(events)
	for i := range events {
		t := thingOf(&events[i])
		if _, seen := first[t]; seen {
			continue
		}
		if len(things) == p.limit {
			rest = i
			break
		}
		first[t], things = i, append(things, t)
	}
	added, err := p.addThings(things, first, events)
	if err != nil {
		return err
	}
	if added < len(things) {
		rest = first[things[added]]
	}
	if rest == len(events) && len(events) < scanned {
		p.page.HasMore = p.at.until != nil
		p.at = changesCursor{since: until}
		return nil
	}
	p.at.until = &until
	p.page.HasMore = added > 0 // else a definition is not known yet: later
	if rest > 0 {
		p.at.transaction, p.at.event = events[rest-1].Transaction, events[rest-1].ID
	}
	return nil
}

// addThings adds the present states of things, resets first, and returns how many it added.
func (p *changesPage) addThings(things []thing, first map[thing]int, events []event.PublicEvent) (int, error) {
	var entries, media []int64
	for _, t := range things {
		switch t.tagged {
		case event.TagsEntry:
			entries = append(entries, t.id)
		case event.TagsMedia:
			media = append(media, t.id)
		default:
			p.add(PublicChange{Op: ChangeReset, Collection: t.slug})
		}
	}
	items, err := ports.MediaOf(p.ctx, p.media, p.schema.Project.ID, media)
	if err != nil {
		return 0, err
	}
	byID := map[int64]*core.MediaItem{}
	for i := range items {
		byID[items[i].ID] = &items[i]
	}
	done, err := p.put(entries, func(id int64) PublicChange {
		e := &events[first[thing{event.TagsEntry, id, ""}]]
		return PublicChange{Op: ChangeDelete, ID: id, Group: e.Group, Collection: e.Collection, Locale: e.Locale}
	})
	if err != nil {
		return 0, err
	}
	for i, t := range things {
		switch {
		case t.tagged == event.TagsEntry && done == 0:
			return i, nil
		case t.tagged == event.TagsEntry:
			done--
		case t.tagged == event.TagsMedia && byID[t.id] != nil:
			p.add(PublicChange{Op: ChangeMedia, ID: t.id, Media: byID[t.id]})
		case t.tagged == event.TagsMedia:
			p.add(PublicChange{Op: ChangeMediaDeleted, ID: t.id})
		}
	}
	return len(things), nil
}
