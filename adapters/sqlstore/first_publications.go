package sqlstore

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// firstPublications is the step after the migrations of the schema that adds the first publication
// of each entry that was published before publications were recorded. SQL cannot compute their
// hashes. It follows all other migrations, because it uses the stores of this program.
const firstPublications = "data_first_publications"

// firstAtOnce bounds the entries of one transaction.
const firstAtOnce = 200

// addFirstPublications adds what is missing, in batches. It can be interrupted and repeated, and
// several processes may run it at the same time.
func (db *DB) addFirstPublications(ctx context.Context) error {
	var last entryPlace
	for {
		var found []entryPlace
		err := db.transact(ctx, core.SystemActor, func(ctx context.Context, c conn) (err error) {
			found, err = entryStore{conn: c}.addFirst(ctx, last)
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		last = found[len(found)-1]
	}
}

// entryPlace is the key of an entry.
type entryPlace struct{ project, id int64 }

// addFirst adds the first publications of a batch of public entries behind last that have none, and
// returns their keys.
func (s entryStore) addFirst(ctx context.Context, last entryPlace) ([]entryPlace, error) {
	found, err := collect(ctx, s.conn, into(func(p *entryPlace) []any { return []any{&p.project, &p.id} }),
		"SELECT e.project_id, e.id FROM entries e WHERE (e.project_id, e.id) > ($1, $2) AND e.published IS NOT NULL AND e.trashed_at IS NULL"+
			" AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.project_id = e.project_id AND p.entry_id = e.id)"+
			" ORDER BY e.project_id, e.id LIMIT $3", last.project, last.id, firstAtOnce)
	for start := 0; err == nil && start < len(found); {
		project := found[start].project
		var ids []int64
		for ; start < len(found) && found[start].project == project; start++ {
			ids = append(ids, found[start].id)
		}
		err = s.addFirstOf(ctx, project, ids)
	}
	return found, err
}

// addFirstOf adds the first publications of entries of one Project. It locks the entries and reads
// them again: another process may have added the publications, or changed the entries since.
func (s entryStore) addFirstOf(ctx context.Context, projectID int64, ids []int64) error {
	stores := s.stores()
	project, err := stores.Projects.Project(ctx, projectID)
	if err != nil {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	among, args := s.among(ids, projectID)
	entries, err := s.entries(ctx, "SELECT "+entryColumns+" FROM entries WHERE project_id = $1 AND id "+among+
		" AND published IS NOT NULL AND trashed_at IS NULL ORDER BY id"+s.db.dialect.LockUpdate(), args...)
	if err != nil {
		return err
	}
	_, err = stores.Workflows.Governing(ctx, projectID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	governed := err == nil
	schema := core.Schema{Project: project, Collections: collections}
	library, err := s.libraryOf(ctx, schema, entries)
	if err != nil {
		return err
	}
	releases, err := s.publishedRequests(ctx, projectID, ids)
	if err != nil {
		return err
	}
	var changed, first, named [][]any
	for i := range entries {
		e, c := &entries[i], schema.ByID(entries[i].CollectionID)
		media := c.Seal(e.Published, library)
		e.Issue = &core.Issue{By: core.SystemActor.Ref()}
		e.Issue.Content, e.PublishedHash, _ = c.Snapshot(e.Locale, e.Published, media)
		for _, r := range releases[e.ID] {
			if release := r.request.Release(c, r.by); r.request.Intact() && string(release.Document) == string(e.Published) {
				e.PublishedHash, e.Issue = r.request.ContentHash, &core.Issue{By: r.by, RequestID: r.request.ID, Content: r.request.Snapshot}
			}
		}
		if !governed {
			media = nil
		}
		p := c.PublicationChange(nil, e).Begins
		changed = append(changed, []any{e.ID, e.PublishedHash, nullable(media)})
		first = append(first, append([]any{projectID, int64(1)}, publicationRow(p)...))
		named = append(named, namedMedia(p)...)
	}
	_, err = s.run(ctx, s.changed(sealedEntry, project, 1, changed), s.added(firstPublication, first, " ON CONFLICT DO NOTHING"),
		s.onRows(publicationMedia, project, named, addPublicationMedia))
	return err
}

// libraryOf returns the media items that the published versions of entries name.
func (s entryStore) libraryOf(ctx context.Context, schema core.Schema, entries []core.Entry) ([]core.MediaItem, error) {
	var ids []int64
	for i := range entries {
		ids = append(ids, schema.ByID(entries[i].CollectionID).MediaIDs(entries[i].Published)...)
	}
	slices.Sort(ids)
	return ports.MediaOf(ctx, mediaStore(s), schema.Project.ID, slices.Compact(ids))
}

// publishedRequest is a request whose snapshot was published, and who published it.
type publishedRequest struct {
	request core.Request
	by      core.ActorRef
}

// publishedRequests returns the published requests of entries, by entry id, oldest first.
func (s entryStore) publishedRequests(ctx context.Context, projectID int64, entryIDs []int64) (map[int64][]publishedRequest, error) {
	among, args := s.among(entryIDs, projectID)
	found, err := requestStore(s).requests(ctx, "r.status = 'published' AND r.entry_id "+among+" ORDER BY r.id", args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	ids := mapped(found, func(r core.Request) int64 { return r.ID })
	actions, err := requestStore(s).Actions(ctx, projectID, ids...)
	if err != nil {
		return nil, err
	}
	last := map[int64]core.ActorRef{}
	for i := range actions {
		last[actions[i].RequestID] = actions[i].Actor
	}
	releases := map[int64][]publishedRequest{}
	for _, r := range found {
		releases[r.EntryID] = append(releases[r.EntryID], publishedRequest{r, last[r.ID]})
	}
	return releases, nil
}
