package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/klauspost/compress/zstd"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/review"
)

// publicationStore implements ports.PublicationStore.
type publicationStore struct{ sqldb.Conn }

// publicationColumns are the columns of a publication in lists, in the order of
// scanPublicationInto.
const (
	publicationColumns = "p.ended_on_time, coalesce(p.ended_release, 0), coalesce(p.ended_request, 0)," +
		" p.project_id, p.collection_id, p.entry_id, p.number, p.content_hash, p.published_at, p.unpublished_at, p.since, p.group_id, p.created_at," +
		" p.by_kind, p.by_id, p.by_name, p.by_maker, coalesce(p.request_id, 0), coalesce(r.release_year, 0), coalesce(r.release_count, 0)"
	withNumber       = " LEFT JOIN approval_requests r ON r.project_id = p.project_id AND r.id = p.request_id"
	fromPublications = " FROM publications p" + withNumber
	// contentColumns are the columns that scanWithContent scans, of publications p joined withItem.
	contentColumns    = publicationColumns + ", p.content, CASE WHEN p.content IS NULL THEN i.snapshot END"
	withItem          = " LEFT JOIN request_items i ON i.project_id = p.project_id AND i.request_id = p.request_id AND i.entry_id = p.entry_id"
	selectWithContent = "SELECT " + contentColumns + fromPublications + withItem
	publicAt          = " AND p.published_at <= @at AND (p.unpublished_at > @at OR p.unpublished_at IS NULL)"
	ofEntry           = " WHERE p.project_id = @project AND p.entry_id = ? AND p.collection_id = ?"
)

func scanPublicationInto(rows sqldb.Rows, rest ...any) (p core.Publication, err error) {
	var r review.Request
	err = rows.Scan(append([]any{
		&p.Ended.OnTime, &p.Ended.ReleaseID, &p.Ended.RequestID,
		&p.ProjectID, &p.CollectionID, &p.EntryID, &p.Number, &p.ContentHash, (*sqldb.Instant)(&p.PublishedAt), (*sqldb.Instant)(&p.UnpublishedAt), (*sqldb.Instant)(&p.Since),
		&p.Group, (*sqldb.Instant)(&p.CreatedAt),
		&p.By.Kind, &p.By.ID, &p.By.Name, &p.By.MadeBy, &p.RequestID, &r.ReleaseYear, &r.ReleaseCount,
	}, rest...)...)
	if p.RequestID != 0 {
		p.ReleaseNumber = r.ReleaseNumber()
	}
	return p, err
}

// scanWithContent scans publicationColumns, the content and the snapshot of the item.
func scanWithContent(rows sqldb.Rows) (core.Publication, error) {
	var packed, snapshot []byte
	p, err := scanPublicationInto(rows, &packed, &snapshot)
	if err != nil {
		return p, err
	}
	if p.Content = snapshot; packed != nil {
		p.Content, err = unpack.DecodeAll(packed, nil)
	}
	return p, err
}

func (s publicationStore) Publications(ctx context.Context, projectID, collectionID, entryID, offset, limit int64) ([]core.Publication, error) {
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (core.Publication, error) { return scanPublicationInto(rows) },
		"SELECT "+publicationColumns+fromPublications+ofEntry+" ORDER BY p.number DESC LIMIT ? OFFSET ?", projectID, entryID, collectionID, limit+1, offset)
}

func (s publicationStore) PublicationCount(ctx context.Context, projectID, collectionID, entryID int64) (int64, error) {
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM publications p"+ofEntry, projectID, entryID, collectionID)
}

func (s publicationStore) Publication(ctx context.Context, projectID, collectionID, entryID, number int64) (core.Publication, error) {
	return sqldb.Single(ctx, s.Conn, "publication", scanWithContent,
		selectWithContent+ofEntry+" AND p.number = ?", projectID, entryID, collectionID, number)
}

var publicationKeys = sqldb.NewTable("publications", "entry_id bigint", "number bigint")

func (s publicationStore) Contents(ctx context.Context, projectID int64, keys []core.PublicationKey) ([]core.Publication, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	rows := sqldb.Mapped(keys, func(k core.PublicationKey) []any { return []any{k.EntryID, k.Number} })
	return sqldb.Collect(ctx, s.Conn, scanWithContent, "SELECT "+contentColumns+" FROM (?) AS v"+
		" JOIN publications p ON p.project_id = @project AND p.entry_id = v.column1 AND p.number = v.column2"+withNumber+withItem, sqldb.RowList{Types: publicationKeys.Types,
		Rows: rows}, projectID)
}

func (s publicationStore) Current(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(p *core.Publication) []any { return []any{&p.EntryID, &p.Number, &p.ContentHash} }),
		"SELECT p.entry_id, p.number, p.content_hash FROM publications p WHERE p.project_id = @project AND p.entry_id ? AND p.unpublished_at IS NULL", projectID,
		sqldb.AmongIDs(entryIDs))
	current := make(map[int64]core.Publication, len(found))
	for _, p := range found {
		p.ProjectID = projectID
		current[p.EntryID] = p
	}
	return current, err
}

func (s publicationStore) Latest(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(p *core.Publication) []any {
		return []any{&p.EntryID, &p.Number, &p.ContentHash, (*sqldb.Instant)(&p.PublishedAt), (*sqldb.Instant)(&p.UnpublishedAt)}
	}), "SELECT p.entry_id, p.number, p.content_hash, p.published_at, p.unpublished_at FROM"+
		" (SELECT entry_id, max(number) AS number FROM publications WHERE project_id = @project AND entry_id ? GROUP BY entry_id) AS latest"+
		" JOIN publications p ON p.project_id = @project AND p.entry_id = latest.entry_id AND p.number = latest.number", projectID, sqldb.AmongIDs(entryIDs))
	latest := make(map[int64]core.Publication, len(found))
	for _, p := range found {
		p.ProjectID = projectID
		latest[p.EntryID] = p
	}
	return latest, err
}

func (s publicationStore) Walk(ctx context.Context, projectID, entryID, number int64, limit int) ([]core.Publication, error) {
	return sqldb.Collect(ctx, s.Conn, scanWithContent, selectWithContent+
		" WHERE p.project_id = @project AND (p.entry_id, p.number) > (?, ?) ORDER BY p.entry_id, p.number LIMIT ?", projectID, entryID, number, limit)
}

func (s publicationStore) PublicAt(ctx context.Context, projectID, entryID int64, at time.Time) (core.Publication, error) {
	return sqldb.Single(ctx, s.Conn, "publication", scanWithContent, selectWithContent+
		" WHERE p.project_id = @project AND p.entry_id = ?"+publicAt, projectID, entryID, at.UnixMilli())
}

func (s publicationStore) GroupsPublicAt(ctx context.Context, projectID int64, groups []int64, at time.Time) ([]core.Publication, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return sqldb.Collect(ctx, s.Conn, scanWithContent, selectWithContent+" WHERE p.project_id = @project AND p.group_id ?"+publicAt+
		" AND NOT EXISTS (SELECT 1 FROM deletions x WHERE x.project_id = p.project_id AND x.collection_id = p.collection_id AND x.began_at <= @at)", projectID,
		sqldb.AmongIDs(groups), at.UnixMilli())
}

func (s publicationStore) NamesMedia(ctx context.Context, projectID, mediaID int64) (bool, error) {
	named, err := sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64],
		"SELECT 1 FROM publication_media WHERE project_id = @project AND media_id = ? LIMIT 1", projectID, mediaID)
	return len(named) > 0, err
}

func (s publicationStore) DeleteExpired(ctx context.Context, now, ended time.Time, limit int) (deleted int, err error) {
	err = entryStore(s).change(ctx, func(ctx context.Context, s entryStore) error {
		expired, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(p *core.Publication) []any {
			return []any{&p.ProjectID, &p.EntryID, &p.Number}
		}), selectExpired, now.UnixMilli(), ended.UnixMilli(), limit)
		if err != nil {
			return err
		}
		byProject := map[int64][][]any{}
		for _, p := range expired {
			byProject[p.ProjectID] = append(byProject[p.ProjectID], []any{p.EntryID, p.Number})
		}
		for _, id := range slices.Sorted(maps.Keys(byProject)) {
			project, rows := &core.Project{ID: id}, byProject[id]
			if _, err := s.Run(ctx, s.Removed(expiredMedia, project, rows), s.Removed(expiredPublication, project, rows)); err != nil {
				return err
			}
		}
		deleted = len(expired)
		return nil
	})
	return deleted, err
}

// selectExpired selects the keys of publications that ended before @ended, and before @now minus the
// days of their Project. CROSS JOIN makes SQLite begin with the Projects and find the publications
// by index.
const selectExpired = "SELECT p.project_id, p.entry_id, p.number FROM projects j CROSS JOIN publications p" +
	" WHERE p.project_id = j.id AND j.publication_days > 0 AND p.unpublished_at < @now - j.publication_days * 86400000 AND p.unpublished_at < @ended" +
	" AND NOT EXISTS (SELECT 1 FROM approval_requests r WHERE r.project_id = p.project_id AND r.id = p.request_id AND r.status IN ('pending', 'approved'))" +
	" AND NOT EXISTS (SELECT 1 FROM release_members m JOIN releases l ON l.project_id = m.project_id AND l.id = m.release_id" +
	" WHERE m.project_id = p.project_id AND m.entry_id = p.entry_id AND m.from_number = p.number AND l.state IN ('open', 'pending', 'approved'))" +
	" AND (EXISTS (SELECT 1 FROM publications o WHERE o.project_id = p.project_id AND o.entry_id = p.entry_id AND o.number > p.number)" +
	" OR NOT EXISTS (SELECT 1 FROM entries e WHERE e.project_id = p.project_id AND e.id = p.entry_id))" +
	" LIMIT ?"

var (
	expiredPublication = sqldb.NewTable("publications", "entry_id bigint", "number bigint")
	expiredMedia       = sqldb.NewTable("publication_media", "entry_id bigint", "number bigint")
)

// pack and unpack compress the content of publications.
var (
	pack   = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true)))
	unpack = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// publications returns the statements that end and add publications, and add the media that they
// name. The entries are locked, so that the numbers of an entry have no gaps.
func (s entryStore) publications(schema core.Schema, changes []core.PublicationChange) []sqldb.Statement {
	var ended, first, next, named [][]any
	for _, change := range changes {
		p := change.Begins
		if change.Ends {
			by := change.Ended
			ended = append(ended, []any{
				change.EntryID, entryindex.Milliseconds(change.At), by.OnTime,
				sql.NullInt64{Int64: by.ReleaseID, Valid: by.ReleaseID != 0}, sql.NullInt64{Int64: by.RequestID, Valid: by.RequestID != 0},
			})
		}
		switch {
		case p == nil:
		case change.IsNew:
			first = append(first, append([]any{p.ProjectID, int64(1)}, publicationRow(p)...))
		default:
			next = append(next, publicationRow(p))
		}
		named = append(named, namedMedia(p)...)
	}
	return slices.Concat(s.OnRows(endedPublication, schema.Project, ended, s.endPublications()),
		sqldb.Added(firstPublication, first, ""), s.OnRows(nextPublication, schema.Project, next, addPublications()),
		s.OnRows(publicationMedia, schema.Project, named, addPublicationMedia))
}

// namedMedia returns a row of publicationMedia for each media item that p names; p may be nil.
func namedMedia(p *core.Publication) (rows [][]any) {
	if p == nil {
		return nil
	}
	for _, id := range p.MediaIDs() {
		rows = append(rows, []any{p.EntryID, id})
	}
	return rows
}

func publicationRow(p *core.Publication) []any {
	var request, content any
	if request = p.RequestID; p.RequestID == 0 {
		request, content = nil, pack.EncodeAll(p.Content, nil)
	}
	return []any{
		p.EntryID, p.CollectionID, p.Group, p.ContentHash, p.PublishedAt.UnixMilli(), entryindex.Milliseconds(p.Since), p.CreatedAt.UnixMilli(),
		p.By.Kind, p.By.ID, p.By.Name, p.By.MadeBy, request, content,
	}
}

var (
	endedPublication = sqldb.NewTable("publications", "entry_id bigint", "unpublished_at bigint", "ended_on_time boolean", "ended_release bigint", "ended_request bigint")
	publicationMedia = sqldb.NewTable("publication_media", "entry_id bigint", "media_id bigint")
	nextPublication  = sqldb.NewTable("publications", publicationRowColumns...)
	firstPublication = sqldb.NewTable("publications", append([]string{"project_id bigint", "number bigint"}, publicationRowColumns...)...)

	// publicationRowColumns are the columns of publicationRow.
	publicationRowColumns = []string{
		"entry_id bigint", "collection_id bigint", "group_id bigint", "content_hash text", "published_at bigint", "since bigint", "created_at bigint",
		"by_kind text", "by_id bigint", "by_name text", "by_maker bigint", "request_id bigint", "content bytea",
	}
)

// lastNumber selects the highest number of the publications of an entry.
const lastNumber = "(SELECT max(o.number) FROM publications o WHERE o.project_id = @project AND o.entry_id = v.column1)"

// endPublications ends the current publications of entries, at the time in the row of values or, if
// that is NULL, now.
func (s entryStore) endPublications() string {
	now := s.DB.Dialect.Now()
	return "UPDATE publications SET unpublished_at = CASE WHEN v.column2 > published_at THEN v.column2" +
		" WHEN v.column2 IS NULL AND " + now + " > published_at THEN " + now + " ELSE published_at + 1 END," +
		" ended_on_time = v.column3, ended_release = v.column4, ended_request = v.column5" +
		" FROM (@rows) AS v WHERE publications.project_id = @project AND publications.entry_id = v.column1" +
		" AND publications.number = " + lastNumber + " AND publications.unpublished_at IS NULL"
}

func addPublications() string {
	columns, from := "", ""
	for i, name := range nextPublication.Columns {
		columns += ", " + name
		from += ", v.column" + sqldb.Number(int64(i+1))
	}
	return "INSERT INTO publications (project_id, number" + columns + ") SELECT @project, coalesce(" + lastNumber + ", 0) + 1" + from + " FROM (@rows) AS v"
}

// addPublicationMedia adds the media of the last publications of entries. It skips media that
// another process has added.
const addPublicationMedia = "INSERT INTO publication_media (project_id, entry_id, number, media_id) SELECT @project, v.column1, " + lastNumber + ", v.column2 FROM (@rows) AS v" +
	" WHERE true ON CONFLICT DO NOTHING" // SQLite needs a WHERE before ON CONFLICT
