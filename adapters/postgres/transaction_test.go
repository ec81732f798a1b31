package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/core"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// TestAFailedStatementPreventsTheCommit ignores the error of a statement. Its transaction commits
// nothing and returns an error, with and without statements in the pipeline of the COMMIT, with
// and without prepared statements.
func TestAFailedStatementPreventsTheCommit(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{"prepared": "", "pooled": "&default_query_exec_mode=cache_describe"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Migrated(t) + mode
			db := open(t, url)
			project := newProject(t, db.Stores())
			for _, events := range []bool{false, true} {
				err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					if events {
						if err := stores.Tenants.Insert(ctx, &core.Tenant{Name: "never", CreatedAt: someTime, UpdatedAt: someTime}); err != nil {
							return err
						}
					}
					same := *project
					if stores.Projects.Insert(ctx, &same) == nil {
						t.Error("a UUID was taken twice")
					}
					return nil
				})
				if err == nil {
					t.Errorf("a failed transaction reports a commit (with events: %t)", events)
				}
			}
			if list, err := db.Stores().Tenants.Tenants(t.Context()); err != nil || len(list) != 1 {
				t.Errorf("left behind: %v, %v", list, err)
			}
		})
	}
}

// While a transaction runs, events with lower ids than visible ones may become visible. A process
// that begins to follow the events then reads the latest ones, to know which ids are missing.
func TestFirstPollReadsEventsBesideARunningTransaction(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	db := open(t, url)
	for range 5 {
		if err := db.Stores().Tenants.Insert(t.Context(), &core.Tenant{Name: "Meridian", CreatedAt: time.Now(), UpdatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	running, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close(context.Background()) //nolint:errcheck // the test is over
	if _, err := running.Exec(t.Context(), "BEGIN; SELECT pg_current_xact_id()"); err != nil {
		t.Fatal(err)
	}
	first, err := db.Poll(t.Context(), -1, nil)
	if err != nil || len(first.Events) != 5 {
		t.Errorf("the first poll reads %d events, want all 5: %v", len(first.Events), err)
	}
}
