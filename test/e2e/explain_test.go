package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestExplainStatus explains lists of one status.
func TestExplainStatus(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t)
	explain := func(query string) string {
		t.Helper()
		out, diagnostics, err := program.Run(t, "", "explain", "--database-url", "sqlite:"+filepath.Join(p.Dir, "var/demo/imprimatur.db"),
			"--project", facts.Projects.WorldDesk.UUID, "--collection", "articles", query)
		if err != nil {
			t.Fatalf("explain %s: %v\n%s", query, err, diagnostics)
		}
		return out
	}
	if out := explain("status=draft"); out != explain("status=draft&state=with_draft") || !strings.Contains(out, "SELECT") {
		t.Errorf("explain status=draft prints\n%s", out)
	}
	if out := explain("status=draft&state=published"); out != "The request selects no entries, so it needs no statement.\n" {
		t.Errorf("explain status=draft&state=published prints\n%s", out)
	}
}
