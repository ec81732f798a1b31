package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// originStore implements ports.OriginStore.
type originStore struct{ sqldb.Conn }

var origins = sqldb.NewTableOf("translation_origins", "origin", func(o *core.Origin) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &o.ProjectID},
		{Name: "reference", Kind: "text", Of: &o.Reference},
		{Name: "collection_id", Kind: "bigint", Of: &o.CollectionID},
		{Name: "group_id", Kind: "bigint", Of: &o.Group},
	}
})

func (s originStore) Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error) {
	if len(references) == 0 {
		return nil, nil
	}
	return origins.All(ctx, s.Conn, " o WHERE project_id = @project AND reference ?"+kept("o"), projectID, sqldb.AmongTexts(references))
}

func (s originStore) OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return origins.All(ctx, s.Conn, " o WHERE project_id = @project AND group_id ?"+kept("o")+" ORDER BY group_id, reference", projectID, sqldb.AmongIDs(groups))
}

func (s originStore) Save(ctx context.Context, saved []core.Origin) error {
	if len(saved) == 0 {
		return nil
	}
	for _, o := range saved {
		if _, err := (collectionStore{s.Conn}).Collection(ctx, o.ProjectID, o.CollectionID); err != nil {
			return err
		}
	}
	rows := sqldb.Mapped(saved, func(o core.Origin) []any { return []any{o.ProjectID, o.Reference, o.CollectionID, o.Group} })
	_, err := s.Do(ctx, origins.Thing, "INSERT INTO translation_origins (project_id, reference, collection_id, group_id) SELECT v.* FROM (?) AS v"+
		" WHERE true ON CONFLICT (project_id, reference) DO UPDATE SET collection_id = EXCLUDED.collection_id, group_id = EXCLUDED.group_id", // SQLite needs a WHERE before ON CONFLICT
		sqldb.RowList{Types: origins.Types, Rows: rows})
	return err
}
