// Package editing tests the pages that people write on.
package editing

import (
	"os"
	"testing"

	"imprimatur/test/dashboard/pages"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestEditing runs in the headless shell of Chromium on SQLite.
func TestEditing(t *testing.T) {
	pages.Run(t, pages.Shell(t), nil, pages.Editing...)
}
