package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
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

// TestTransactionsAloneMayCompute lets a transaction that runs alone be idle for longer than others may. It runs once.
func TestTransactionsAloneMayCompute(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	db := open(t, url)
	runs := 0
	err := db.DoAlone(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		runs++
		if _, err := stores.Tenants.Tenants(ctx); err != nil {
			return err
		}
		for idle := false; !idle; {
			queryInto(t, url, &idle, "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND now() - state_change > '2.5 s'")
		}
		_, err := stores.Tenants.Tenants(ctx)
		return err
	})
	if err != nil || runs != 1 {
		t.Errorf("the transaction ran %d times: %v", runs, err)
	}
}

// pipelines counts the pipelines of a database and their statements.
type pipelines struct {
	pgx.QueryTracer // none
	sizes           []int
}

func (p *pipelines) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (p *pipelines) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (p *pipelines) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	p.sizes = append(p.sizes, len(data.Batch.QueuedQueries))
	return ctx
}
func (p *pipelines) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (p *pipelines) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestLargeStatementsHaveOwnPipelines writes entries with small and with large texts. The server takes the rest of a
// pipeline after it has run what came before, so that a large statement waits for no other.
func TestLargeStatementsHaveOwnPipelines(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	schema, ids := largeProject(t, open(t, url), 20)
	p := &pipelines{}
	db, err := postgres.Open(t.Context(), url, postgres.Options{Tracer: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	save := func(text string) (largest int) {
		t.Helper()
		entries, err := db.Stores().Entries.Entries(t.Context(), schema.Project.ID, ids)
		if err != nil {
			t.Fatal(err)
		}
		changed := make([]*core.Entry, len(entries))
		for i := range entries {
			changed[i] = &entries[i]
			changed[i].Version++
			changed[i].Draft = core.Document(fmt.Sprintf(`{"body":%q,"title":"%s%d"}`, text, text[:1], entries[i].ID))
		}
		p.sizes = nil
		if err := db.Stores().Entries.Save(t.Context(), schema, nil, changed); err != nil {
			t.Fatal(err)
		}
		return slices.Max(p.sizes)
	}
	if small, large := save("x"), save(strings.Repeat("x", 30_000)); small < 4 || large >= small {
		t.Errorf("the largest pipeline has %d statements for small texts, %d for large ones", small, large)
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
