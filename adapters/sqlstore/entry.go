package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/words"
)

// entryStore implements ports.EntryStore.
type entryStore struct{ sqldb.Conn }

// entryColumns are the columns of an entry, in the order of scanEntry.
const entryColumns = "id, project_id, collection_id, locale, group_id, version, draft, published, " +
	"published_hash, published_media, revision, published_at, created_at, updated_at, released_at, trashed_at, created_by, updated_by"

func (s entryStore) Entry(ctx context.Context, projectID, id int64) (core.Entry, error) {
	return s.entry(ctx, projectID, id, "")
}

// entry returns one entry. lock is the end of the SELECT, such as FOR UPDATE.
func (s entryStore) entry(ctx context.Context, projectID, id int64, lock string) (core.Entry, error) {
	return sqldb.Single(ctx, s.Conn, "entry", scanEntry,
		"SELECT "+entryColumns+" FROM entries WHERE project_id = @project AND id = ?"+keptEntries+lock, projectID, id)
}

func (s entryStore) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.entries(ctx, "SELECT "+entryColumns+" FROM entries"+s.DB.Dialect.By(entryquery.PrimaryKey)+
		" WHERE project_id = @project AND id ?"+keptEntries, projectID, sqldb.AmongIDs(ids))
}

func (s entryStore) Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return s.entries(ctx, "SELECT "+entryColumns+" FROM entries WHERE project_id = @project AND group_id ?"+keptEntries+" ORDER BY id", projectID, sqldb.AmongIDs(groups))
}

func (s entryStore) Trash(ctx context.Context, projectID, collectionID int64, offset, limit int64) ([]core.Entry, error) {
	return s.entries(ctx, "SELECT "+entryColumns+" FROM entries WHERE project_id = @project AND collection_id = ? AND trashed_at IS NOT NULL"+
		" ORDER BY trashed_at DESC, id DESC LIMIT ? OFFSET ?", projectID, collectionID, limit+1, offset)
}

// fieldKeys is more than the number of fields that a collection ever has: collection times fieldKeys
// plus field is one number for both.
const fieldKeys = 1 << 24

// Titled finds the texts in the trigram index first, of all collections at once, and then their entries.
func (s entryStore) Titled(ctx context.Context, q query.TitleQuery) ([]core.Entry, error) {
	if len(q.Titles) == 0 || !words.Indexable(q.Text) {
		return nil, nil
	}
	projects, titles := make([]int64, len(q.Titles)), make([]int64, len(q.Titles))
	for i, t := range q.Titles {
		projects[i], titles[i] = t.ProjectID, t.CollectionID*fieldKeys+int64(t.FieldID)
	}
	slices.Sort(projects)
	return s.entries(ctx, "SELECT "+entryColumns+" FROM (SELECT t.project_id AS of_project, t.entry_id AS of_entry FROM "+s.DB.Dialect.Titles("@projects", "@pattern")+
		" WHERE t.project_id @projects AND t.collection_id * "+strconv.Itoa(fieldKeys)+" + t.field_id @titles"+
		" AND (t.versions & "+strconv.Itoa(int(entryindex.InDraft))+") <> 0"+s.DB.Dialect.NewestTexts()+" LIMIT @limit) f"+
		s.DB.Dialect.ForEach("entries", "e", "e.project_id = f.of_project AND e.id = f.of_entry"),
		sqldb.As("projects", sqldb.AmongIDs(slices.Compact(projects))), sqldb.As("titles", sqldb.AmongIDs(titles)), sqldb.As("pattern", s.DB.Dialect.TitlePattern(q.Text)),
		sqldb.As("limit", q.Limit))
}

func (s entryStore) Walk(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Entry, error) {
	return s.entries(ctx, "SELECT "+entryColumns+" FROM entries WHERE project_id = @project AND collection_id = ? AND id > ?"+
		" ORDER BY id LIMIT ?", projectID, collectionID, after, int64(limit))
}

func (s entryStore) entries(ctx context.Context, text string, args ...any) ([]core.Entry, error) {
	return sqldb.Collect(ctx, s.Conn, scanEntry, text, args...)
}

var scanEntry = sqldb.Into(func(e *core.Entry) []any {
	return []any{
		&e.ID, &e.ProjectID, &e.CollectionID, &e.Locale, &e.Group, &e.Version, (*[]byte)(&e.Draft), (*[]byte)(&e.Published),
		&e.PublishedHash, (*[]byte)(&e.PublishedMedia), (*[]byte)(&e.Revision), (*sqldb.Instant)(&e.PublishedAt),
		(*sqldb.Instant)(&e.CreatedAt), (*sqldb.Instant)(&e.UpdatedAt), (*sqldb.Instant)(&e.ReleasedAt), (*sqldb.Instant)(&e.TrashedAt), &e.CreatedBy, &e.UpdatedBy,
	}
})

// List selects the total in each row of the page. If the page has no rows, it runs Count.
func (s entryStore) List(ctx context.Context, sel query.Selection, counted bool) (rows []core.Row, total int64, err error) {
	return s.list(ctx, sel, counted, nil)
}

func (s entryStore) list(ctx context.Context, sel query.Selection, counted bool, seen *release.Seen) (rows []core.Row, total int64, err error) {
	rows, total, err = s.page(ctx, sel, counted, seen)
	if err == nil && counted && len(rows) == 0 {
		total, err = s.total(ctx, sel, seen)
	}
	return rows, total, err
}

// page notes nothing of a first statement whose rows it does not return.
func (s entryStore) page(ctx context.Context, sel query.Selection, counted bool, seen *release.Seen) (rows []core.Row, total int64, err error) {
	plan := entryquery.Plan(sel, counted)
	if plan == nil {
		return nil, 0, nil
	}
	defer s.DB.Slow.Measure(ctx, plan)()
	if plan.First != nil {
		first := sightings{seen: seen}
		rows, total, err = s.fetch(ctx, sel, plan.First, &first)
		if err != nil || plan.First.FillsPage(rows) {
			first.done(len(rows), err)
			return rows, total, err
		}
	}
	page := sightings{seen: seen}
	rows, total, err = s.fetch(ctx, sel, plan.Page(), &page)
	page.done(len(rows), err)
	return rows, total, err
}

func (s entryStore) fetch(ctx context.Context, sel query.Selection, f *entryquery.Fetch, sighted *sightings) (rows []core.Row, total int64, err error) {
	statement := entryquery.Page(s.DB.Dialect, sel.Schema.Collection, f, sighted.column())
	scanner := newRowScanner(f.Known, f.Without)
	if f.Total != nil {
		scanner.into = append(scanner.into, &total)
	}
	scanner.into = sighted.targets(scanner.into)
	rows, err = sqldb.Collect(ctx, s.Conn, scanner.scan, statement.Text, statement.Args...)
	return rows, total, err
}

func (s entryStore) Count(ctx context.Context, sel query.Selection) (int64, error) {
	return s.total(ctx, sel, nil)
}

func (s entryStore) total(ctx context.Context, sel query.Selection, seen *release.Seen) (total int64, err error) {
	plan := entryquery.Total(sel)
	if plan == nil {
		return 0, nil
	}
	sighted := sightings{seen: seen}
	statement := entryquery.Counted(s.DB.Dialect, sel.Schema.Collection, plan, sighted.column())
	defer s.DB.Slow.Measure(ctx, plan)()
	total, err = sqldb.Single(ctx, s.Conn, "row", func(rows sqldb.Rows) (n int64, err error) {
		err = rows.Scan(sighted.targets([]any{&n})...)
		return n, err
	}, statement.Text, statement.Args...)
	sighted.done(1, err)
	return total, err
}

func (s entryStore) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	return s.tally(ctx, sel, t, nil)
}

func (s entryStore) tally(ctx context.Context, sel query.Selection, t query.Tally, seen *release.Seen) (found []query.Tallied, err error) {
	plan := entryquery.PlanTally(sel, t)
	if plan == nil {
		return nil, nil
	}
	sighted := sightings{seen: seen}
	statement := entryquery.Tallied(s.DB.Dialect, sel.Schema.Collection, plan, sighted.column())
	defer s.DB.Slow.Measure(ctx, plan)()
	scan := scanTallied(entryindex.StorageOf(t.By), &sighted)
	found, err = sqldb.Collect(ctx, s.Conn, scan, statement.Text, statement.Args...)
	sighted.done(len(found), err)
	slices.SortFunc(found, t.CompareTallied)
	return found, err
}

// scanTallied returns a function that scans a value stored so.
func scanTallied(stored entryindex.Storage, sighted *sightings) func(sqldb.Rows) (query.Tallied, error) {
	return func(rows sqldb.Rows) (t query.Tallied, err error) {
		var text string
		var integer int64
		var value any = &text
		switch stored {
		case entryindex.AsInteger:
			value = &integer
		case entryindex.AsDouble:
			value = &t.Value.Num
		default:
		}
		err = rows.Scan(sighted.targets([]any{value, &t.CollectionID, &t.Count})...)
		switch stored {
		case entryindex.AsKey:
			_, t.Value.Text, _ = strings.Cut(text, words.Separator)
		case entryindex.AsInteger:
			t.Value.Num = float64(integer)
		case entryindex.AsText:
			t.Value.Text = text
		default:
		}
		return t, err
	}
}

func (s entryStore) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	return s.published(ctx, projectID, collectionID, id, nil)
}

func (s entryStore) published(ctx context.Context, projectID, collectionID, id int64, seen *release.Seen) (core.Row, error) {
	sighted, scanner := sightings{seen: seen}, newRowScanner(core.Row{}, 0)
	scanner.into = sighted.targets(scanner.into)
	rows, err := sqldb.Collect(ctx, s.Conn, scanner.scan,
		"SELECT "+publishedColumns+sighted.column()+publishedFrom+s.DB.Dialect.By(groupIndex)+publishedWhere, projectID, id, collectionID)
	sighted.done(len(rows), err)
	if err == nil && len(rows) == 0 {
		err = core.NotFound("entry")
	}
	if err != nil {
		return core.Row{}, err
	}
	return rows[0], nil
}

var publishedColumns = entryquery.RowColumns("i.serves", core.StatePublished, core.Row{}, 0)

// publishedFrom and publishedWhere select a published entry by id. The CROSS JOIN makes SQLite,
// which has no statistics, read the entry first.
const publishedFrom = " FROM entries e CROSS JOIN entry_index i"

const publishedWhere = " WHERE e.project_id = @project AND e.id = ? AND e.collection_id = @collection" +
	" AND i.project_id = @project AND i.group_id = e.group_id AND i.shelf = 0 AND i.entry_id = e.id AND i.collection_id = @collection"

func (s entryStore) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, locales uint64, documents bool,
) ([]core.Row, error) {
	return s.serving(ctx, projectID, state, groups, locales, documents, nil)
}

func (s entryStore) serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, locales uint64, documents bool, seen *release.Seen,
) (rows []core.Row, err error) {
	if len(groups) == 0 {
		return nil, nil
	}
	sighted := sightings{seen: seen}
	args := []any{sqldb.As("project", projectID), int64(locales), sqldb.AmongIDs(groups)}
	mask := "i." + entryindex.MaskOf(state)
	from := " FROM entry_index i" + s.DB.Dialect.By(groupIndex)
	where := " WHERE i.project_id = @project" + onShelf("i", state) + " AND (" + mask + " & ?) <> 0 AND i.group_id ?" + keptInProject("i")
	if documents {
		scanner := newRowScanner(core.Row{}, 0)
		scanner.into = sighted.targets(scanner.into)
		rows, err = sqldb.Collect(ctx, s.Conn, scanner.scan, "SELECT "+entryquery.RowColumns(mask, state, core.Row{}, 0)+sighted.column()+
			from+" JOIN entries e ON e.project_id = i.project_id AND e.id = i.entry_id"+where, args...)
	} else {
		rows, err = sqldb.Collect(ctx, s.Conn, sighted.scanServing, "SELECT i.entry_id, i.collection_id, i.group_id, "+mask+sighted.column()+from+where, args...)
	}
	sighted.done(len(rows), err)
	return rows, err
}

// scanServing scans a row without its document.
func (s *sightings) scanServing(rows sqldb.Rows) (r core.Row, err error) {
	var serves int64
	err = rows.Scan(s.targets([]any{&r.ID, &r.CollectionID, &r.Group, &serves})...)
	r.Serves = uint64(serves)
	return r, err
}

func (s entryStore) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	return s.alternates(ctx, project, groups, slug, nil)
}

func (s entryStore) alternates(
	ctx context.Context, project *core.Project, groups []int64, slug *core.Field, seen *release.Seen,
) (found []query.Alternate, err error) {
	if len(groups) == 0 {
		return nil, nil
	}
	name := ""
	if slug != nil {
		name = slug.Name
	}
	sighted := sightings{seen: seen}
	found, err = sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (a query.Alternate, err error) {
		var locale int
		err = rows.Scan(sighted.targets([]any{&a.ID, &a.Group, &locale, &a.Slug})...)
		if locale < len(project.Locales) {
			a.Locale = project.Locales[locale]
		}
		return a, err
	}, "SELECT i.entry_id, i.group_id, i.locale, coalesce(document_text(e.published, ?), '')"+sighted.column()+
		" FROM entry_index i"+s.DB.Dialect.By(groupIndex)+" JOIN entries e ON e.project_id = i.project_id AND e.id = i.entry_id"+
		" WHERE i.project_id = @project"+onShelf("i", core.StatePublished)+" AND i.group_id ?"+keptInProject("i")+" ORDER BY i.group_id, i.locale", name, project.ID,
		sqldb.AmongIDs(groups))
	sighted.done(len(found), err)
	return found, err
}

func (s entryStore) GroupCollections(ctx context.Context, projectID int64, groups []int64) (map[int64]string, error) {
	found := map[int64]string{}
	if len(groups) == 0 {
		return found, nil
	}
	type pair struct {
		group      int64
		collection string
	}
	pairs, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(p *pair) []any { return []any{&p.group, &p.collection} }),
		"SELECT group_id, collection FROM past_groups WHERE project_id = @project AND group_id @groups"+
			" UNION SELECT e.group_id, c.slug FROM entries e JOIN collections c ON c.project_id = e.project_id AND c.id = e.collection_id"+
			" WHERE e.project_id = @project AND e.group_id @groups"+
			" UNION SELECT e.group_id, d.slug FROM entries e JOIN deletions d ON d.project_id = e.project_id AND d.collection_id = e.collection_id"+
			" WHERE e.project_id = @project AND e.group_id @groups", projectID, sqldb.AmongIDs(groups))
	for _, p := range pairs {
		found[p.group] = p.collection
	}
	return found, err
}

// groupIndex is the index of entry_index by translation group.
const groupIndex = "entry_index_group"

// onShelf returns " AND …", the condition on the shelf that readers in state see, or "" if they
// see several shelves.
func onShelf(alias string, state core.State) string {
	views := entryindex.Views(state)
	if len(views) > 1 {
		return ""
	}
	return " AND " + alias + ".shelf = " + sqldb.Number(int64(views[0].Shelf))
}

// rowScanner scans entryquery.RowColumns. It scans all rows into the same variables, because
// allocating scan targets for each row costs more than the scan.
type rowScanner struct {
	row                               core.Row
	serves                            int64
	publishedAt, createdAt, updatedAt int64 // milliseconds
	without                           query.RowParts
	into                              []any
}

func newRowScanner(known core.Row, without query.RowParts) *rowScanner {
	r := &rowScanner{row: known, without: without}
	r.into = append(make([]any, 0, 10), &r.row.ID, &r.publishedAt)
	if known.CollectionID == 0 {
		r.into = append(r.into, &r.row.CollectionID)
	}
	if known.Locale == "" {
		r.into = append(r.into, &r.row.Locale)
	}
	if without&query.RowDates == 0 {
		r.into = append(r.into, &r.createdAt, &r.updatedAt)
	}
	if without&query.RowGroup == 0 {
		r.into = append(r.into, &r.row.Group, &r.serves)
	}
	if without&query.RowDocument == 0 {
		r.into = append(r.into, (*[]byte)(&r.row.Document), (*[]byte)(&r.row.Media))
	}
	return r
}

func (r *rowScanner) scan(rows sqldb.Rows) (core.Row, error) {
	err := rows.Scan(r.into...)
	r.row.Serves = uint64(r.serves)
	r.row.PublishedAt = time.UnixMilli(r.publishedAt).UTC()
	if r.without&query.RowDates == 0 {
		r.row.CreatedAt = time.UnixMilli(r.createdAt).UTC()
		r.row.UpdatedAt = time.UnixMilli(r.updatedAt).UTC()
	}
	return r.row, err
}
