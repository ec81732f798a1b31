// Package engines tests the most important pages in another browser and on another database.
package engines

import (
	"os"
	"testing"

	"imprimatur/test/dashboard/pages"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestChromium runs the tests with the tag @firefox in the Chromium that users have, on SQLite.
func TestChromium(t *testing.T) {
	pages.Run(t, pages.Chromium(t), nil, "-g", "@firefox")
}

// TestFirefox runs the tests with the tag @firefox, on SQLite.
func TestFirefox(t *testing.T) {
	pages.Run(t, pages.Firefox(t), nil)
}

// TestPostgres runs the stories of decisions in Chromium. The appearance of pages does not depend on
// the database.
func TestPostgres(t *testing.T) {
	settings := []string{"--database-url", postgrestest.New(t)}
	pages.Run(t, pages.Shell(t), settings, "story", "reviewer", "-g", "three reviewers decide|lost a race|an invited reviewer")
}
