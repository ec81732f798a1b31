package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
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
			text, err := os.ReadFile("../../" + chapter.file)
			if err != nil {
				t.Fatal(err)
			}
			_, tour, _ := strings.Cut(string(text), chapter.begin)
			if chapter.end != "" {
				tour, _, _ = strings.Cut(tour, chapter.end)
			}
			steps := regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?").FindAllStringSubmatch(tour, -1)
			if len(steps) < chapter.steps {
				t.Fatalf("only %d steps found", len(steps))
			}
			runTour(t, steps)
		})
	}
}

// runTour runs steps; each has a command and its expected output.
func runTour(t *testing.T, steps [][]string) {
	t.Helper()
	p, _ := program.Demo(t)
	var script strings.Builder
	const mark = "--- next step ---"
	for _, step := range steps {
		script.WriteString(step[1] + "\necho; echo '" + mark + "'\n")
	}
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script.String())
	shell.Dir = p.Dir
	shell.Env = append(os.Environ(), "IMPRIMATUR="+program.Binary())
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	printed := strings.Split(string(output), mark)
	for i, step := range steps {
		if got, want := plain(printed[i]), plain(step[2]); got != want {
			t.Errorf("%s\nprinted\n%s\nwant\n%s", step[1], got, want)
		}
	}
}

var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|CR-\d{4}-`)

// plain replaces the parts that differ between runs.
func plain(text string) string {
	return times.ReplaceAllString(strings.TrimSpace(text), "<time>")
}
