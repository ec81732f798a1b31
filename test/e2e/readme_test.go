package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestReadmeTour runs the commands of the README's tour and of the chapter after it in
// one shell, one after the other, and compares what they print with what the README
// says, times and years aside.
func TestReadmeTour(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(text), "\n## A tour\n")
	tour, _, _ = strings.Cut(tour, "\n## Serve it\n")
	steps := regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?").FindAllStringSubmatch(tour, -1)
	if len(steps) < 18 {
		t.Fatalf("only %d steps found", len(steps))
	}
	p, _ := program.Demo(t)
	var script strings.Builder
	const mark = "--- next step ---"
	for _, step := range steps {
		script.WriteString(step[1] + "\necho; echo '" + mark + "'\n")
	}
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script.String())
	shell.Dir = p.Dir
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	printed := strings.Split(string(output), mark)
	for i, step := range steps {
		if got, want := plain(printed[i]), plain(step[2]); got != want {
			t.Errorf("%s\nprinted\n%s\nand not\n%s", step[1], got, want)
		}
	}
}

var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|CR-\d{4}-`)

// plain takes from a text what differs between two runs.
func plain(text string) string {
	return times.ReplaceAllString(strings.TrimSpace(text), "<time>")
}
