// Package managing tests the pages of accounts, media and settings, and that pages are accessible.
package managing

import (
	"os"
	"testing"

	"imprimatur/test/dashboard/pages"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestManaging runs in the headless shell of Chromium on SQLite.
func TestManaging(t *testing.T) {
	pages.Run(t, pages.Shell(t), nil, pages.Rest(t)...)
}
