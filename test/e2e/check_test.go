package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestCheckCommand damages indexes, counters and a file of a running service, and checks
// and repairs them.
func TestCheckCommand(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			blobs := filepath.Join(s.process.Dir, "var/blobs")
			upload(t, s.base+s.fill("{P}/media/upload"), newForm().file("a.png", pngOf(8, 8)).end(), "Authorization: Bearer "+s.tokens["full"])
			check := func(exit int, args ...string) string {
				t.Helper()
				out, diagnostics, err := program.Run(t, "", append([]string{"check", "--database-url", s.database, "--blob-url", "file:" + blobs}, args...)...)
				code := 0
				if ended := new(exec.ExitError); errors.As(err, &ended) {
					code, err = ended.ExitCode(), nil
				}
				if err != nil || code != exit {
					t.Fatalf("check %v: exit code %d, %v, want %d\n%s%s", args, code, err, exit, out, diagnostics)
				}
				return out
			}
			if out := check(0); out != "0 differences found, 0 repaired\n" {
				t.Fatalf("check of undamaged data: %s", out)
			}

			const published = 4
			listed := func(sort string) int {
				return len(decode[list](t, s.send(t, "read", "GET", "{pages}?sort="+sort, "")).Data)
			}
			if n := listed("num"); n != published {
				t.Fatalf("%d pages are listed, want %d", n, published)
			}
			db := openDatabase(t, s.database)
			damage := func(statement string, args ...any) {
				t.Helper()
				result, err := db.ExecContext(t.Context(), statement, args...)
				if err != nil {
					t.Fatal(err)
				}
				if changed, err := result.RowsAffected(); err != nil || changed == 0 {
					t.Fatalf("%s: %d rows, %v", statement, changed, err)
				}
			}
			damage("DELETE FROM entry_index WHERE project_id = $1 AND shelf = 0 AND entry_id = $2", s.project, s.ids["alpha"])
			damage("UPDATE entry_counters SET entries = entries + 7 WHERE project_id = $1 AND state = 2", s.project)
			var name string
			if err := db.QueryRowContext(t.Context(), "SELECT full_blob FROM media WHERE project_id = $1", s.project).Scan(&name); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(blobs, filepath.FromSlash(name))
			if err := os.Rename(file, file+".away"); err != nil {
				t.Fatal(err)
			}
			if n := listed("title"); n == published {
				t.Fatal("the damage has no effect on lists")
			}
			out := check(1)
			for _, line := range []string{
				"project " + s.uuid + " collection pages: " + s.fill("entry {alpha}: index row (published): expected one, found none\n"),
				"project " + s.uuid + " collection pages: counter (with draft, serves",
				"project " + s.uuid + ": file " + name + ": expected its bytes, found none\n",
			} {
				if !strings.Contains(out, line) {
					t.Errorf("check does not print %q:\n%s", line, out)
				}
			}

			check(1, "--repair") // the bytes are still missing
			s.process.Await(t, "all pages in a list", func() bool { return listed("title") == published })
			if err := os.Rename(file+".away", file); err != nil {
				t.Fatal(err)
			}
			if out := check(0); out != "0 differences found, 0 repaired\n" {
				t.Errorf("check after the repair: %s", out)
			}
			events, _, err := program.Run(t, "", "events", "export", "--project", s.uuid, "--database-url", s.database)
			if err != nil || !strings.Contains(events, `"type":"project.repaired"`) {
				t.Errorf("the event project.repaired is missing: %v\n%s", err, events)
			}
		})
	}
}
