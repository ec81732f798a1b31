package sqlstore

import (
	"context"

	"imprimatur/core"
)

// originStore implements ports.OriginStore.
type originStore struct{ conn }

var origins = rowsOf("translation_origins", "origin", func(o *core.Origin) []member {
	return []member{
		{name: "project_id", kind: "bigint", of: &o.ProjectID},
		{name: "reference", kind: "text", of: &o.Reference},
		{name: "collection_id", kind: "bigint", of: &o.CollectionID},
		{name: "group_id", kind: "bigint", of: &o.Group},
	}
})

func (s originStore) Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error) {
	if len(references) == 0 {
		return nil, nil
	}
	return origins.all(ctx, s.conn, " o WHERE project_id = @project AND reference ?"+kept("o"), projectID, amongTexts(references))
}

func (s originStore) OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return origins.all(ctx, s.conn, " o WHERE project_id = @project AND group_id ?"+kept("o")+" ORDER BY group_id, reference", projectID, amongIDs(groups))
}

func (s originStore) Save(ctx context.Context, saved []core.Origin) error {
	if len(saved) == 0 {
		return nil
	}
	for _, o := range saved {
		if _, err := (collectionStore{s.conn}).Collection(ctx, o.ProjectID, o.CollectionID); err != nil {
			return err
		}
	}
	rows := mapped(saved, func(o core.Origin) []any { return []any{o.ProjectID, o.Reference, o.CollectionID, o.Group} })
	_, err := s.do(ctx, origins.thing, "INSERT INTO translation_origins (project_id, reference, collection_id, group_id) SELECT v.* FROM (?) AS v"+
		" WHERE true ON CONFLICT (project_id, reference) DO UPDATE SET collection_id = EXCLUDED.collection_id, group_id = EXCLUDED.group_id", // SQLite needs a WHERE before ON CONFLICT
		rowList{origins.Types, rows})
	return err
}
