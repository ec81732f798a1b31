package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestPartitionScript follows the operations guide: migrate, run the script with psql,
// migrate again.
func TestPartitionScript(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	migrate := func() {
		t.Helper()
		if _, diagnostics, err := program.Run(t, "", "migrate", "up", "--database-url", database); err != nil {
			t.Fatalf("migrate: %v: %s", err, diagnostics)
		}
	}
	psql := func(args ...string) (output string, err error) {
		out, err := exec.CommandContext(t.Context(), "psql", append([]string{database, "--no-psqlrc"}, args...)...).CombinedOutput()
		return string(out), err
	}
	script, err := postgrestest.PartitionScript()
	if err != nil {
		t.Fatal(err)
	}
	migrate()
	for _, number := range []string{"0", "257", "many"} {
		if out, err := psql("-v", "partitions="+number, "-f", script); err == nil {
			t.Errorf("%s partitions are accepted: %s", number, out)
		}
	}
	if out, err := psql("-f", script); err == nil {
		t.Errorf("the script runs without a number of partitions: %s", out)
	}
	if out, err := psql("-v", "partitions=3", "-f", script); err != nil {
		t.Fatalf("psql: %v: %s", err, out)
	}
	migrate()
	out, err := psql("-At", "-c", "SELECT count(*) FROM pg_inherits WHERE inhparent = 'entries'::regclass")
	if err != nil || strings.TrimSpace(out) != "3" {
		t.Errorf("the table has %q partitions, want 3: %v", out, err)
	}
}
