package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/media"
	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestLargeImportsAreVacuumed imports few lines, and then enough for a vacuum. With
// autovacuum disabled, only that vacuum allows index-only scans.
func TestLargeImportsAreVacuumed(t *testing.T) {
	t.Parallel()
	database := postgrestest.Migrated(t)
	conn, err := pgx.Connect(t.Context(), database)
	ok(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the results have been read
	_, err = conn.Exec(t.Context(), "ALTER TABLE entry_index SET (autovacuum_enabled = false)")
	ok(t, err)
	project := newProject(t, database)
	for _, c := range []struct {
		lines    int
		vacuumed bool
	}{{20, false}, {10_000, true}} {
		var all strings.Builder
		for n := range c.lines {
			fmt.Fprintf(&all, `{"published":true,"fields":{"title":"%d"}}`+"\n", n)
		}
		out, diagnostics, err := program.Run(t, all.String(), "import", "--database-url", database, "--project", project, "--collection", "pages", "-")
		if err != nil || !strings.Contains(out, fmt.Sprint(c.lines, " created")) {
			t.Fatalf("%v: %s%s", err, out, diagnostics)
		}
		var visible int
		ok(t, conn.QueryRow(t.Context(), "SELECT relallvisible FROM pg_class WHERE relname = 'entry_index'").Scan(&visible))
		if visible > 0 != c.vacuumed {
			t.Errorf("after %d lines, %d pages are all-visible", c.lines, visible)
		}
	}
}

// TestImportOutlivesAStall stops an import in a transaction until the server ends the transaction.
// Every line is nevertheless written exactly once.
func TestImportOutlivesAStall(t *testing.T) {
	t.Parallel()
	const lines = 5000
	database := postgrestest.Migrated(t)
	project := newProject(t, database)
	conn, err := pgx.Connect(t.Context(), database)
	ok(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the results have been read
	count := func(query string) (n int) {
		t.Helper()
		ok(t, conn.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	idle := func() bool {
		return count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'") > 0
	}

	var file strings.Builder
	for n := range lines {
		fmt.Fprintf(&file, `{"published":true,"fields":{"title":"%d"}}`+"\n", n)
	}
	var out bytes.Buffer
	run := exec.CommandContext(t.Context(), program.Binary(), "import", "--database-url", database, "--project", project, "--collection", "pages", "-")
	run.Dir, run.Stdin, run.Stdout, run.Stderr = t.TempDir(), strings.NewReader(file.String()), &out, &out
	ok(t, run.Start())
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	for stalled := false; !stalled; {
		for !idle() {
			if len(ended) > 0 {
				t.Fatalf("the import ended too soon: %s", &out)
			}
		}
		ok(t, run.Process.Signal(syscall.SIGSTOP))
		stalled = idle()
		await.Until(t, "the end of the transaction, for which the server waits up to a minute", func() bool { return !idle() })
		ok(t, run.Process.Signal(syscall.SIGCONT))
	}
	if err := <-ended; err != nil || !strings.Contains(out.String(), fmt.Sprintf("%d created", lines)) {
		t.Errorf("%v: %s", err, &out)
	}
	for _, table := range []string{"entries", "entry_index", "publications"} {
		if n := count("SELECT count(*) FROM " + table); n != lines {
			t.Errorf("%d rows of %s", n, table)
		}
	}
}

// newProject creates a project with the collection pages and returns its UUID.
func newProject(t *testing.T, database string, more ...definition.FieldInput) string {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel, cfg.BlobURL = database, "error", "mem://"
	var organisation *access.Organisation
	var collections *definition.Collections
	var library *media.Library
	stop, err := service.Use(t.Context(), cfg, &organisation, &collections, &library)
	ok(t, err)
	defer stop()
	tenant, err := organisation.CreateTenant(t.Context(), core.Actor{System: true}, "Acme")
	ok(t, err)
	project, err := organisation.CreateProject(t.Context(), core.Actor{System: true}, tenant.ID, access.ProjectInput{Name: "Site", DefaultLocale: "en", Locales: []string{"en", "de"}})
	ok(t, err)
	_, err = collections.Create(t.Context(), core.Actor{System: true}, project, definition.CollectionInput{
		Slug: "pages", Name: "Pages", Fields: append([]definition.FieldInput{{Name: "title", Type: core.TypeText}}, more...),
	})
	ok(t, err)
	if len(more) == 0 {
		return project.UUID
	}
	for _, name := range []string{"one.txt", "two.txt"} {
		received, err := library.Receive(t.Context(), project, name, strings.NewReader(name))
		ok(t, err)
		_, err = library.Keep(t.Context(), core.Actor{System: true}, project, received, media.Change{})
		ok(t, err)
	}
	return project.UUID
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
