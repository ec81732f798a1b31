package entryindex

import (
	"fmt"
	"slices"
	"time"

	"imprimatur/core"
)

// Change is an entry after a write.
type Change struct {
	*core.Entry
	Found Content // from Read
}

// Member is a row of entry_index in its translation group.
type Member struct {
	Shelf       Shelf
	Entry       int64
	Locale      int // locale number
	Serves      uint64
	ServesDraft uint64
	Row         []any // in the order of Columns; nil if only the masks are known
}

// Collection returns the id of the collection of a stored row.
func (m *Member) Collection() int64 {
	return m.Row[collectionColumn].(int64) //nolint:errcheck,forcetypeassert // as Columns has it
}

const collectionColumn = 3

// Columns are the columns of entry_index with their types. The first Key columns are the
// primary key.
var Columns = append([]string{
	"project_id bigint", "scope bigint", "entry_id bigint",
	"collection_id bigint", "shelf smallint", "locale smallint", "group_id bigint", "serves bigint", "serves_draft bigint",
	"published_at bigint", "released_at bigint", "created_at bigint", "updated_at bigint", "signature bigint",
}, slotColumns()...)

// Key is the number of primary key columns.
const Key = 3

func slotColumns() []string {
	columns := make([]string, len(SlotNames))
	for i, name := range SlotNames {
		columns[i] = name + map[byte]string{'t': " text", 'n': " double precision", 'd': " bigint"}[name[0]]
	}
	return columns
}

// Placement are changes of entry_index, entry_counters and entry_buckets.
type Placement struct {
	Written []Member // rows that are new or differ
	Removed []Member // rows to delete
	Masked  []Member // rows of other entries of the group whose masks change
	Counts  map[Counter]int64
	Buckets map[Bucket]int64
}

// Counter is the key of one count of entry_counters.
type Counter struct {
	State  core.State
	Serves uint64
}

// Place adds to p the index changes that follow from changed entries of one group. members are
// all stored rows of the group, including those of the changed entries.
func (p *Placement) Place(project *core.Project, changes []Change, members []Member) error {
	var after []Member
	for _, m := range members {
		if changeOf(changes, m.Entry) == nil {
			m.Serves, m.ServesDraft = 0, 0
			after = append(after, m)
		}
	}
	for i := range changes {
		locale := project.LocaleNumber(changes[i].Locale)
		if locale < 0 {
			return fmt.Errorf("the project has no locale %q", changes[i].Locale)
		}
		after = append(after, shelves(&changes[i], locale)...)
	}
	serve(project, after)
	p.compare(changes, members, after)
	p.count(members, -1)
	p.count(after, 1)
	p.bucket(members, -1)
	p.bucket(after, 1)
	return nil
}

// shelves returns the index rows of an entry, without masks.
func shelves(c *Change, locale int) []Member {
	row := func(shelf Shelf) Member { return Member{Shelf: shelf, Entry: c.ID, Locale: locale} }
	switch {
	case !c.TrashedAt.IsZero():
		return nil
	case c.Published == nil:
		return []Member{row(Draft)}
	case c.HasTwoDocuments():
		return []Member{row(Published), row(Changes)}
	default:
		return []Member{row(Published)}
	}
}

// serve sets the masks of the members of one group.
func serve(project *core.Project, members []Member) {
	for _, state := range States {
		seen := seenIn(state, members)
		if len(seen) == 0 {
			continue
		}
		locales := make([]string, len(seen))
		for i, m := range seen {
			locales[i] = project.Locales[m.Locale]
		}
		for i, mask := range project.Serves(locales) {
			*seen[i].mask(state) = mask
		}
	}
}

// mask returns the mask for readers in state.
func (m *Member) mask(state core.State) *uint64 {
	if state == core.StateWithDraft {
		return &m.ServesDraft
	}
	return &m.Serves
}

// seenIn returns the members that readers in state see, one per entry.
func seenIn(state core.State, members []Member) (seen []*Member) {
	for i := range members {
		m := &members[i]
		for _, view := range Views(state) {
			if view.Shelf == m.Shelf && (!view.Partly || find(members, Changes, m.Entry) == nil) {
				seen = append(seen, m)
			}
		}
	}
	return seen
}

// find returns the member of an entry on a shelf, or nil.
func find(members []Member, shelf Shelf, entry int64) *Member {
	for i := range members {
		if members[i].Shelf == shelf && members[i].Entry == entry {
			return &members[i]
		}
	}
	return nil
}

func changeOf(changes []Change, entry int64) *Change {
	i := slices.IndexFunc(changes, func(c Change) bool { return c.ID == entry })
	if i < 0 {
		return nil
	}
	return &changes[i]
}

// compare adds the differences between the members of a group. Unchanged rows are not written,
// because each row is in many indexes.
func (p *Placement) compare(changes []Change, before, after []Member) {
	for i := range after {
		m, was := &after[i], find(before, after[i].Shelf, after[i].Entry)
		if c := changeOf(changes, m.Entry); c != nil {
			m.Row = row(c, m)
			if was == nil || !slices.Equal(was.Row, m.Row) {
				p.Written = append(p.Written, *m)
			}
		} else if was.Serves != m.Serves || was.ServesDraft != m.ServesDraft {
			p.Masked = append(p.Masked, *m)
		}
	}
	for _, m := range before {
		if find(after, m.Shelf, m.Entry) == nil {
			p.Removed = append(p.Removed, m)
		}
	}
}

func (p *Placement) count(members []Member, n int64) {
	if p.Counts == nil {
		p.Counts = map[Counter]int64{}
	}
	for _, state := range States {
		for _, m := range seenIn(state, members) {
			p.Counts[Counter{state, *m.mask(state)}] += n
		}
	}
}

// row returns the values of Columns.
func row(c *Change, m *Member) []any {
	version := InDraft
	if m.Shelf == Published {
		version = InPublished
	}
	typed := c.Found.Slots[version]
	updatedAt, releasedAt := c.UpdatedAt, any(nil)
	if m.Shelf == Published {
		releasedAt = c.ReleasedAt.UnixMilli()
	}
	if m.Shelf == Published && m.ServesDraft == 0 {
		updatedAt = c.ReleasedAt // readers of drafts do not see this row, so that edits need not change it
	}
	row := []any{
		c.ProjectID, Scope(c.CollectionID, m.Shelf, m.Locale), c.ID,
		c.CollectionID, int64(m.Shelf), int64(m.Locale), c.Group, int64(m.Serves), int64(m.ServesDraft),
		Milliseconds(c.PublishedAt), releasedAt, c.CreatedAt.UnixMilli(), updatedAt.UnixMilli(), SignatureOf(typed),
	}
	return append(row, typed[:]...)
}

// Milliseconds returns t in milliseconds since 1970, as columns store it, or nil for the zero
// time.
func Milliseconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}
