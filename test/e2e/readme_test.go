package e2e

import (
	"testing"

	"imprimatur/test/program"
)

// TestTours runs the commands of the README's short tour and of the API guide's tasks, definitions and long tour,
// each in one shell against its own demo, and compares the output with the documents,
// except times and years.
func TestTours(t *testing.T) {
	t.Parallel()
	for name, chapter := range map[string]struct {
		file, begin, end string
		steps            int // minimum number of commands, so that a renamed heading fails
	}{
		"short tour": {"README.md", "\n## A short tour\n", "\n## Serve it\n", 4},
		"tasks":      {"api/README.md", "\n## By task\n", "\n## Tokens\n", 12},
		"defining":   {"api/README.md", "\n## Defining content\n", "\n## TypeScript\n", 5},
		"schema":     {"app/docs/schema.md", "\n## Step by step\n", "\n## The file\n", 4},
		"directory":  {"app/docs/import-directory.md", "\n## Step by step\n", "\n## The files\n", 3},
		"contentful": {"app/docs/import-contentful.md", "\n## Step by step\n", "\n## What becomes of what\n", 3},
		"wordpress":  {"app/docs/import-wordpress.md", "\n## Step by step\n", "\n## What becomes of what\n", 3},
		"long tour":  {"api/README.md", "\n## The long tour\n", "", 24},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := program.Demo(t)
			program.Tour(t, p, "../../"+chapter.file, chapter.begin, chapter.end, chapter.steps)
		})
	}
}
