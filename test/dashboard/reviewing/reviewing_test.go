// Package reviewing tests the pages of decisions, lists and searches.
package reviewing

import (
	"os"
	"testing"

	"imprimatur/test/dashboard/pages"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestReviewing runs in the headless shell of Chromium on SQLite.
func TestReviewing(t *testing.T) {
	pages.Run(t, pages.Shell(t), nil, pages.Reviewing...)
}
