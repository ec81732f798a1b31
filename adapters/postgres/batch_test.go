package postgres_test

import (
	"context"
	"errors"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// TestCopiedRows writes so many entries at once that their rows are copied, with and without
// prepared statements. A save that fails, in a COPY or in another statement, leaves no rows.
func TestCopiedRows(t *testing.T) {
	t.Parallel()
	const entries = 120
	for name, mode := range map[string]string{"prepared": "", "pooled": "&default_query_exec_mode=cache_describe"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Migrated(t) + mode
			schema, ids := largeProject(t, open(t, url), entries)
			db := open(t, url)
			stores := db.Stores()

			joining, err := stores.Entries.NewIDs(t.Context(), entries)
			if err != nil {
				t.Fatal(err)
			}
			batch := make([]*core.Entry, entries)
			for i, id := range joining {
				batch[i] = &core.Entry{
					ID: id, Group: id, ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, Locale: "en", Version: 1,
					Draft: document(id, 1), CreatedAt: someTime, UpdatedAt: someTime,
				}
			}
			batch[7].Group = ids[7] // it has an entry in that locale
			var fault *core.Error
			if err := stores.Entries.Save(t.Context(), schema, batch, nil); !errors.As(err, &fault) || fault.Code != "locale_taken" {
				t.Errorf("a translation in a locale that is taken: %v", err)
			}
			for i, id := range ids {
				batch[i].ID, batch[i].Group = id, id
			}
			if err := stores.Entries.Save(t.Context(), schema, batch, nil); core.KindOf(err) != core.KindConflict {
				t.Errorf("ids that are taken: %v", err)
			}

			err = db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				last, found, err := stores.IndexChecks.CheckEntries(ctx, schema, 0, 3*entries)
				if len(found) > 0 || last != ids[entries-1] {
					t.Errorf("checked up to entry %d of %d: %v", last, ids[entries-1], found)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if err := stores.IndexChecks.CheckTotals(t.Context(), schema.Project.ID, func(d core.Difference) { t.Error(d) }); err != nil {
				t.Error(err)
			}
		})
	}
}
