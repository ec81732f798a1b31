package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestCommandsCreateNoDatabase runs each command that works on existing data without a database, and
// on a database that lacks a migration.
func TestCommandsCreateNoDatabase(t *testing.T) {
	t.Parallel()
	project := []string{"--project", uuid.NewString()}
	collection := slices.Concat(project, []string{"--collection", "pages"})
	commands := [][]string{
		{"check"}, {"media", "sweep"}, {"media", "rebuild"}, {"events", "export"}, append([]string{"types"}, project...),
		append([]string{"approvals", "export"}, project...), append([]string{"token", "create", "--name", "site"}, project...),
		append([]string{"export"}, collection...), append([]string{"explain"}, collection...), append([]string{"import", "-"}, collection...),
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if out, diagnostics, err := program.Run(t, "", args...); err == nil || out != "" || diagnostics != "imprimatur: "+want+"\n" {
			t.Errorf("%v: %v\n%s%s", args, err, out, diagnostics)
		}
	}
	for _, command := range commands {
		path := filepath.Join(t.TempDir(), "s", "new.db")
		refused("setting --database-url: no database at "+path+"; imprimatur serve or imprimatur migrate creates one",
			append(command, "--database-url", "sqlite:"+path)...)
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Errorf("%v created a folder", command)
		}
	}
	file := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, database := range []string{"sqlite:" + file, postgrestest.New(t)} {
		refused("setting --database-url: the database lacks migrations; apply them with imprimatur migrate", "check", "--database-url", database)
		if out, _, err := program.Run(t, "", "migrate", "status", "--database-url", database); err != nil || !strings.Contains(out, "missing") {
			t.Errorf("check has migrated the database: %v\n%s", err, out)
		}
	}

	database, blobs := "sqlite:"+filepath.Join(t.TempDir(), "imprimatur.db"), filepath.Join(t.TempDir(), "blobs")
	if _, diagnostics, err := program.Run(t, "a long password\n", "user", "create", "--email", "a@b.example", "--database-url", database); err != nil {
		t.Fatalf("user create on a new database: %v\n%s", err, diagnostics)
	}
	refused("setting --blob-url: no folder "+blobs+"; imprimatur serve creates it", "check", "--database-url", database, "--blob-url", "file:"+blobs)
	if _, err := os.Stat(blobs); err == nil {
		t.Error("check created the folder of files")
	}
}
