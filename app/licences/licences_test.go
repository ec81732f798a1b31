package licences

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestModulesAreComplete compares the list with the modules that the program is built from here, and with go.mod.
func TestModulesAreComplete(t *testing.T) {
	t.Parallel()
	text, err := modules()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(\S+\.\S+/?\S*) (v\d\S+)$`).FindAllStringSubmatch(text, -1) {
		listed[line[1]] = line[2]
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "urfave_cli_no_template,grpcnotrace",
		"-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}`, "imprimatur/app")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	const again = "go tool task licences writes the list"
	needed := 0
	for line := range strings.Lines(string(output)) {
		name, version, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		needed++
		if listed[name] != version {
			t.Errorf("%s %s is in the program, and %q in the list; %s", name, version, listed[name], again)
		}
	}
	if needed == 0 || len(listed) == 0 {
		t.Fatalf("%d modules are needed, %d are in the list", needed, len(listed))
	}
	required, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, version := range listed {
		if !strings.Contains(string(required), "\t"+name+" "+version) {
			t.Errorf("%s %s is in the list and not in go.mod; %s", name, version, again)
		}
	}
}

func TestAllSectionsAreWritten(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"\nGo 1.", "github.com/jackc/pgx/v5 v", "modernc.org/sqlite v", "\nreact-aria-components 1", "@tiptap/pm 3", "GraphiQL", "Apache License", "Open Database License", "SIL Open Font License",
	} {
		if !strings.Contains(strings.ToLower(text.String()), strings.ToLower(part)) {
			t.Errorf("the licences lack %q", part)
		}
	}
}
