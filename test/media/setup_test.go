// Package media_test stresses the media library on real databases and file systems: killed
// processes, races, endless files, a full disk.
package media_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/imaging"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// TestMain also runs the child processes.
func TestMain(m *testing.M) {
	if plan := os.Getenv(planVariable); plan != "" {
		os.Exit(runPlan(plan))
	}
	os.Exit(m.Run())
}

// fixture is a project with the adapters of its media library.
type fixture struct {
	Stores  ports.Stores
	Tx      ports.Tx
	Blobs   ports.BlobStore
	Imager  ports.Imager
	Clock   ports.Clock
	project *core.Project
}

func (d *fixture) library() *media.Library {
	return media.NewLibrary(d.Stores, d.Tx, d.Blobs, d.Imager, d.Clock)
}

func (d *fixture) sweeper() *media.Sweeper { return media.NewSweeper(d.Stores, d.Tx, d.Blobs, d.Clock) }

// engines maps engines to functions that return the address of a new database.
var engines = map[string]func(t *testing.T) string{
	"SQLite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db") },
	"Postgres": func(t *testing.T) string { return postgrestest.Migrated(t) },
}

// open opens a database and a blob store.
func open(ctx context.Context, database, blobs string) (*fixture, func() error, error) {
	db, err := openDatabase(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	store, err := blobstore.Open(ctx, blobs)
	if err != nil {
		return nil, nil, err
	}
	return &fixture{
		Stores: db.Stores(), Tx: db, Blobs: store, Imager: imaging.New(imaging.Options{}), Clock: systemclock.New(),
	}, func() error { return errors.Join(store.Close(), db.Close()) }, nil
}

func openDatabase(ctx context.Context, address string) (*sqlstore.DB, error) {
	if filepath.Ext(address) == ".db" {
		db, err := sqlite.Open(ctx, address, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		return db, db.Migrate(ctx)
	}
	return postgres.Open(ctx, address, postgres.Options{Conns: 8})
}

// setup opens a database and a blob store and creates a project.
func setup(t *testing.T, database, blobs string) *fixture {
	t.Helper()
	d, closeAll, err := open(t.Context(), database, blobs)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, closeAll()) })
	tenant := core.Tenant{Name: "Meridian"}
	tenant.CreatedAt, tenant.UpdatedAt = d.Clock.Now(), d.Clock.Now()
	require.NoError(t, d.Stores.Tenants.Insert(t.Context(), &tenant))
	d.project = &core.Project{
		UUID: uuid.NewString(), TenantID: tenant.ID, Name: "Desk", DefaultLocale: "en", Locales: []string{"en"},
		UploadLimit: core.DefaultUploadLimit, CreatedAt: d.Clock.Now(), UpdatedAt: d.Clock.Now(),
	}
	require.NoError(t, d.Stores.Projects.Insert(t.Context(), d.project))
	return d
}

// items returns all media items of the project.
func (d *fixture) items(t *testing.T) []core.MediaItem {
	t.Helper()
	items, err := d.Stores.Media.List(t.Context(), library.Query{ProjectID: d.project.ID, Limit: 1 << 20})
	require.NoError(t, err)
	return items
}

// names returns the sorted names in the blob store.
func (d *fixture) names(t *testing.T) []string {
	t.Helper()
	var names []string
	require.NoError(t, d.Blobs.Walk(t.Context(), "", func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

// wantBlobs checks that the blobs of every item exist.
func (d *fixture) wantBlobs(t *testing.T) {
	t.Helper()
	names := d.names(t)
	for _, item := range d.items(t) {
		for _, name := range item.Blobs() {
			if _, there := slices.BinarySearch(names, name); !there {
				t.Errorf("item %d lacks %s", item.ID, name)
			}
		}
	}
}

// sweep sweeps once and checks that exactly the blobs of items remain.
func (d *fixture) sweep(t *testing.T) {
	t.Helper()
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	_, err := d.sweeper().Sweep(t.Context(), 0)
	require.NoError(t, err)
	var needed []string
	for _, item := range d.items(t) {
		needed = append(needed, item.Blobs()...)
	}
	slices.Sort(needed)
	require.Equal(t, fmt.Sprint(slices.Compact(needed)), fmt.Sprint(d.names(t)))
}

// files returns the number of files under a folder.
func files(t *testing.T, folder string) (n int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	}))
	return n
}
