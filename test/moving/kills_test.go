// Package moving imports sites by the real program.
package moving

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
	"imprimatur/test/bench/imports"
	"imprimatur/test/importtest"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

var (
	kills    = flag.Int("kills", 3, "how often TestKilledImports kills an import, on each database")
	posts    = flag.Int("posts", 120, "posts of the site of TestKilledImports")
	pictures = flag.Int("pictures", 10, "pictures of the site of TestKilledImports")
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestKilledImports kills an import at random moments, and lets it go on: the project is then as one whose import was
// not killed, on each database, and so is that of the other one.
func TestKilledImports(t *testing.T) {
	t.Parallel()
	site := t.TempDir()
	require.NoError(t, imports.Write(site, *posts, *pictures))
	whole := newTarget(t, "sqlite:"+filepath.Join(t.TempDir(), "whole.db"))
	began := time.Now()
	require.NoError(t, whole.run(t, t.Context(), site))
	took := time.Since(began)
	want := whole.dump(t)
	require.Contains(t, want, "slug=\"post-1\"")
	for name, database := range map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "killed.db"), "postgres": postgrestest.Migrated(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed, stopped := newTarget(t, database), 0
			for range *kills {
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(took))
				if killed.run(t, ctx, site) != nil {
					require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
					stopped++
				}
				cancel()
			}
			require.NoError(t, killed.run(t, t.Context(), site))
			require.Equal(t, want, killed.dump(t))
			require.NoError(t, killed.run(t, t.Context(), site))
			require.Equal(t, want, killed.dump(t))
			t.Logf("%d of %d imports were killed", stopped, *kills)
		})
	}
}

// target is an empty project on a database of its own.
type target struct{ database, blobs, uuid string }

func newTarget(t *testing.T, database string) target {
	t.Helper()
	target := target{database: database, blobs: "file:" + t.TempDir()}
	var organisation *access.Organisation
	defer target.use(t, &organisation)()
	tenant, err := organisation.CreateTenant(t.Context(), core.SystemActor, "Meridian")
	require.NoError(t, err)
	project, err := organisation.CreateProject(t.Context(), core.SystemActor, tenant.ID, access.ProjectInput{Name: "Desk", Locales: []string{"en"}})
	require.NoError(t, err)
	target.uuid = project.UUID
	return target
}

// use opens the database. The caller calls stop.
func (target target) use(t *testing.T, parts ...any) (stop func()) {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL, cfg.LogLevel, cfg.SecretKey = target.database, target.blobs, "error", postgrestest.SecretKey
	stop, err := service.Use(t.Context(), cfg, parts...)
	require.NoError(t, err)
	return stop
}

// run imports the site until ctx ends.
func (target target) run(t *testing.T, ctx context.Context, site string) error { //nolint:revive // ctx is that of one run of a test
	t.Helper()
	return target.imports(t, ctx, "wordpress", "--media", filepath.Join(site, "uploads"), filepath.Join(site, "export.xml"))
}

// imports runs an import from a system until ctx ends.
func (target target) imports(t *testing.T, ctx context.Context, system string, args ...string) error { //nolint:revive // ctx is that of one run of a test
	t.Helper()
	command := exec.CommandContext(ctx, program.Binary(), append([]string{
		"import", system, "--project", target.uuid, "--published", "--report", filepath.Join(t.TempDir(), "report"),
		"--database-url", target.database, "--blob-url", target.blobs, "--log-level", "error",
	}, args...)...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "IMPRIMATUR_SECRET_KEY="+postgrestest.SecretKey)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}

// dump describes the content, see importtest.Site.Dump.
func (target target) dump(t *testing.T) string {
	t.Helper()
	var stores ports.Stores
	defer target.use(t, &stores)()
	project, err := stores.Projects.ProjectByUUID(t.Context(), target.uuid)
	require.NoError(t, err)
	return (&importtest.Site{Stores: stores, Project: project}).Dump(t)
}
