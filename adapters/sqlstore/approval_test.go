package sqlstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

func TestEachReadOfApprovalIsOneStatement(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		stores := db.Stores()
		tenant := insertTenant(t.Context(), t, stores, "Meridian")
		project := insertProject(t, stores, core.Project{TenantID: tenant.ID, UUID: "a"})
		reach := review.Reach{UserID: 1, CustomRoles: []int64{3}, Grants: []core.Grant{
			{Role: core.RoleTenantAdmin, TenantID: tenant.ID}, {Role: core.RoleAdmin, TenantID: tenant.ID, ProjectID: project.ID},
		}}
		for name, read := range map[string]func(ctx context.Context, s ports.Stores) error{
			"page": func(ctx context.Context, s ports.Stores) error {
				_, err := s.Requests.Inbox(ctx, review.InboxQuery{Reach: reach, Limit: 25})
				return err
			},
			"count": func(ctx context.Context, s ports.Stores) error {
				_, err := s.Requests.InboxCount(ctx, review.InboxQuery{Reach: reach})
				return err
			},
			"summary": func(ctx context.Context, s ports.Stores) error {
				_, err := s.Requests.InboxSummary(ctx, reach)
				return err
			},
			"summaries of entries": func(ctx context.Context, s ports.Stores) error {
				_, err := s.Requests.Summaries(ctx, project.ID, []int64{1, 2, 3})
				return err
			},
			"what governs": func(ctx context.Context, s ports.Stores) error {
				_, err := s.Workflows.Governing(ctx, project.ID)
				if errors.Is(err, core.ErrNotFound) {
					err = nil
				}
				return err
			},
		} {
			ctx, count := sqldb.WithStatementCount(t.Context())
			if err := read(ctx, stores); err != nil || count.Load() != 1 {
				t.Errorf("%s: %d statements, %v", name, count.Load(), err)
			}
			ctx, count = sqldb.WithStatementCount(t.Context())
			err := db.Do(ctx, core.SystemActor, func(ctx context.Context, s ports.Stores) error { return read(ctx, s) })
			if err != nil || count.Load() != 1 {
				t.Errorf("%s in a transaction: %d statements, %v", name, count.Load(), err)
			}
		}
	})
}

// TestStatementsAreObservedWithTheirArguments checks what benchmarks need to explain statements.
func TestStatementsAreObservedWithTheirArguments(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		var observed []string
		ctx := sqldb.WithStatementObserver(t.Context(), func(text string, args []any) {
			if len(args) != 3 || args[0] != int64(7) {
				t.Errorf("%s is observed with %v", text, args)
			}
			observed = append(observed, text)
		})
		if _, err := db.Stores().Requests.Walk(ctx, 7, 0, 5); err != nil {
			t.Fatal(err)
		}
		if len(observed) != 1 || !strings.Contains(observed[0], "FROM approval_requests") {
			t.Errorf("observed %q", observed)
		}
	})
}
