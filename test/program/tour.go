package program

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// steps are the commands of a chapter, each with its expected output.
var steps = regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?")

// Tour runs the commands of a chapter of a document in one shell, in the working directory of p and with further
// settings in its environment. It compares their output with the document, except times and years. The chapter stands
// between begin and end ("": the end of the document) and has at least so many commands.
func Tour(t testing.TB, p *Process, document, begin, end string, least int, settings ...string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), begin)
	if end != "" {
		chapter, _, _ = strings.Cut(chapter, end)
	}
	all := steps.FindAllStringSubmatch(chapter, -1)
	if len(all) < least {
		t.Fatalf("only %d steps found", len(all))
	}
	var script strings.Builder
	const mark = "--- next step ---"
	for _, step := range all {
		script.WriteString(step[1] + "\necho; echo '" + mark + "'\n")
	}
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script.String())
	shell.Dir = p.Dir
	shell.Env = append(append(os.Environ(), "IMPRIMATUR="+Binary()), settings...)
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	printed := strings.Split(string(output), mark)
	for i, step := range all {
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
