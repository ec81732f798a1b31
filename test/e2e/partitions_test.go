package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestPartitionsByCommand makes them before anything is served, keeps them at the
// next migration, says how many there are, and takes them back.
func TestPartitionsByCommand(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	for _, step := range []struct {
		args []string
		says string // of partitions; empty: nothing
	}{
		{[]string{"status"}, ""},
		{[]string{"up", "--partitions", "3"}, "content lies in 3 partitions\n"},
		{[]string{"up"}, "content lies in 3 partitions\n"},
		{[]string{"status"}, "content lies in 3 partitions\n"},
		{[]string{"up", "--partitions", "1"}, ""},
		{[]string{"down"}, ""},
	} {
		out, diagnostics, err := program.Run(t, "", append(append([]string{"migrate"}, step.args...), "--database-url", database)...)
		if err != nil {
			t.Fatalf("%v: %v: %s", step.args, err, diagnostics)
		}
		if _, says, _ := strings.Cut(out, "content lies"); strings.TrimPrefix(step.says, "content lies") != says {
			t.Errorf("%v: %s", step.args, out)
		}
	}
}

func TestPartitionsAreRefusedInASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ database, partitions, says string }{
		{"sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db"), "3", "only a Postgres database"},
		{postgrestest.New(t), "0", "1 to 256"},
		{postgrestest.New(t), "257", "1 to 256"},
		{postgrestest.New(t), "many", "partitions"},
	} {
		_, diagnostics, err := program.Run(t, "", "migrate", "up", "--partitions", c.partitions, "--database-url", c.database)
		if err == nil || !strings.Contains(diagnostics, c.says) || strings.Count(strings.TrimSpace(diagnostics), "\n") > 0 {
			t.Errorf("%s of %s: %v: %s", c.partitions, c.database, err, diagnostics)
		}
	}
}
