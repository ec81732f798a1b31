// Package media_test takes the media library to its limits on real databases and
// file systems: processes that are killed, races, endless files, a full disk.
package media_test

import (
	"context"
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
	"imprimatur/core/media"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// TestMain is also the process that a test starts to have it killed.
func TestMain(m *testing.M) {
	if plan := os.Getenv(planVariable); plan != "" {
		os.Exit(play(plan))
	}
	os.Exit(m.Run())
}

// desk is a Project with everything that works on its media.
type desk struct {
	Stores  ports.Stores
	Tx      ports.Tx
	Blobs   ports.BlobStore
	Imager  ports.Imager
	Clock   ports.Clock
	project *core.Project
}

func (d *desk) library() *media.Library {
	return media.NewLibrary(d.Stores, d.Tx, d.Blobs, d.Imager, d.Clock)
}

func (d *desk) sweeper() *media.Sweeper { return media.NewSweeper(d.Stores, d.Tx, d.Blobs, d.Clock) }

// engines are the databases that a test runs on: each is opened by an address.
var engines = map[string]func(t *testing.T) string{
	"SQLite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db") },
	"Postgres": func(t *testing.T) string { return postgrestest.Migrated(t) },
}

// open opens a database and a blob store.
func open(ctx context.Context, database, blobs string) (*desk, func() error, error) {
	db, err := openDatabase(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	store, err := blobstore.Open(ctx, blobs)
	if err != nil {
		return nil, nil, err
	}
	return &desk{
		Stores: db.Stores(), Tx: db, Blobs: store, Imager: imaging.New(imaging.Options{}), Clock: systemclock.New(),
	}, func() error { return join(store.Close(), db.Close()) }, nil
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

func join(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// setup opens a database and a blob store with a new Project in it.
func setup(t *testing.T, database, blobs string) *desk {
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

// items returns all items of the Project.
func (d *desk) items(t *testing.T) []core.MediaItem {
	t.Helper()
	items, err := d.Stores.Media.List(t.Context(), core.MediaQuery{ProjectID: d.project.ID, Limit: 1 << 20})
	require.NoError(t, err)
	return items
}

// names returns the sorted names in the blob store.
func (d *desk) names(t *testing.T) []string {
	t.Helper()
	var names []string
	require.NoError(t, d.Blobs.Walk(t.Context(), "", func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

// whole checks that the bytes of every item are there.
func (d *desk) whole(t *testing.T) {
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

// swept sweeps once and checks that exactly the bytes that items need are left.
func (d *desk) swept(t *testing.T) {
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

// files returns how many files there are under a folder, whatever they are called.
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
