package sqlstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// released has the SHA-256 of each migration that a release has applied to databases of others.
var released = map[string]string{
	"../postgres/migrations/released/0001_baseline.sql": "d6a0194339d9f7831c66b13d4ece82ed1e43673eb7b590e7f8aa7743407be26f",
	"../sqlite/migrations/released/0001_baseline.sql":   "4bad5ddb7b64b870961cbc4bc0accd0125b3f30e9b0b2ae64552f91f5c3bc85d",
}

// TestReleasedMigrationsStay fails when a migration changes that databases have applied: they would refuse the program.
// A change of tables is a migration of its own.
func TestReleasedMigrationsStay(t *testing.T) {
	t.Parallel()
	for path, want := range released {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		require.Equal(t, want, hex.EncodeToString(sum[:]), "%s is released: add a migration in place of changing it", path)
	}
}

// Every migration is in the program, and the compressed ones are as their files.
func TestProgramHasEveryMigration(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		files := open(t).Migrator().Files
		engine := "postgres"
		if isSQLite(t) {
			engine = "sqlite"
		}
		paths, err := filepath.Glob("../" + engine + "/migrations/released/*.sql")
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		plain, err := filepath.Glob("../" + engine + "/migrations/*.sql")
		require.NoError(t, err)
		common, err := filepath.Glob("migrations/*.sql")
		require.NoError(t, err)
		require.NotEmpty(t, common)
		paths = slices.Concat(paths, plain, common)
		slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
		names, err := fs.Glob(files, "*.sql")
		require.NoError(t, err)
		require.Len(t, names, len(paths))
		for i, path := range paths {
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, filepath.Base(path), names[i])
			got, err := fs.ReadFile(files, names[i])
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "compress it again: gzip -9nc %s", path)
		}
	})
}
