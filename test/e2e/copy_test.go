package e2e

import (
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestExportsOfCopiesAreEqual copies a collection to another project by export and import,
// on both engines: translations, both versions and schedules.
func TestExportsOfCopiesAreEqual(t *testing.T) {
	t.Parallel()
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if _, diagnostics, err := program.Run(t, "", "migrate", "up", "--database-url", database); err != nil {
				t.Fatal(err, diagnostics)
			}
			run := func(project, stdin, command string, more ...string) string {
				t.Helper()
				args := append([]string{command, "--database-url", database, "--project", project, "--collection", "pages"}, more...)
				out, diagnostics, err := program.Run(t, stdin, args...)
				if err != nil {
					t.Fatalf("%s: %v\n%s%s", command, err, out, diagnostics)
				}
				return out
			}
			origin, target := newProject(t, database), newProject(t, database)
			const lines = `{"group":"morning","published":true,"publishedAt":"2020-01-02T03:04:05.678Z","fields":{"title":"Edited"},"publishedVersion":{"fields":{"title":"Good morning"}}}
{"group":"morning","locale":"de","published":true,"fields":{"title":"Guten Morgen"}}
{"group":"noon","locale":"de","published":true,"publishAt":"2999-01-01T00:00:00Z","fields":{"title":"Guten Morgen"}}
{"group":"night","published":true,"publishAt":"2999-01-01T00:00:00Z","fields":{"title":"To come"},"publishedVersion":{"fields":{"title":"Night"}}}
{"fields":{"title":"Draft"}}
`
			run(origin, lines, "import", "-")
			exported := run(origin, "", "export")
			if n := strings.Count(exported, "publishedVersion"); strings.Count(exported, "\n") != 5 || n != 2 || strings.Count(exported, `"publishAt"`) != 2 {
				t.Fatalf("exported: %s", exported)
			}
			if out := run(target, exported, "import", "-"); !strings.Contains(out, "5 created, 0 updated, 0 unchanged, 0 lines refused") {
				t.Errorf("the first import: %s", out)
			}
			if again := run(target, "", "export"); again != exported {
				t.Errorf("the copy exports\n%s\nnot\n%s", again, exported)
			}
			for _, project := range []string{target, origin} {
				if out := run(project, exported, "import", "-"); !strings.Contains(out, "0 created, 0 updated, 5 unchanged, 0 lines refused") {
					t.Errorf("an import again: %s", out)
				}
			}
			if again := run(origin, "", "export"); again != exported {
				t.Errorf("the original now exports\n%s\nnot\n%s", again, exported)
			}
			_, diagnostics, err := program.Run(t, "", "import", "--database-url", database, "--project", target, "--collection", "pages", "--from-line", "0", "-")
			if err == nil || !strings.Contains(diagnostics, "--from-line is 0, but lines are counted from 1") {
				t.Errorf("--from-line 0: %v %s", err, diagnostics)
			}
		})
	}
}
