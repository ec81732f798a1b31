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
	settings := []string{"--oidc-allow", "127.0.0.0/8"} // for the identity provider of signon.spec.ts
	pages.Run(t, pages.Shell(t), settings, pages.Rest(t)...)
}
