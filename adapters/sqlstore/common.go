package sqlstore

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql
var common embed.FS

// CommonMigrations returns the migrations that have the same text for all engines.
func CommonMigrations() fs.FS {
	files, err := fs.Sub(common, "migrations")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return files
}
