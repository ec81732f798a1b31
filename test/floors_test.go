// Package test checks properties of the whole module.
package test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

type listedPackage struct {
	ImportPath string
	Imports    []string
}

// TestFloors checks the layers of the architecture: a package imports only lower layers, a
// use case or adapter imports no other except those listed here, and only
// the composition root uses fx.
func TestFloors(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			if fault := importFault(p.ImportPath, imported); fault != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, fault)
			}
		}
	}
}

// TestTopLevel checks that the top level of the tree has only the allowed files.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	allowed := []string{"core", "adapters", "ports", "app", "api", "test", "go.mod", "go.sum", "Taskfile.yml", "README.md", "LICENSE", "CHANGELOG.md", "var"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top of the tree", e.Name())
		}
	}
}

func TestImportFaultFindsFaults(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"imprimatur/core", "imprimatur/ports"},
		{"imprimatur/ports", "imprimatur/core/writing"},
		{"imprimatur/core/writing", "imprimatur/core/access"},
		{"imprimatur/core/writing", "imprimatur/core/approval"},
		{"imprimatur/core/publishing", "imprimatur/core/approval"},
		{"imprimatur/core/reading", "imprimatur/core/publishing"},
		{"imprimatur/core/writing", "imprimatur/adapters/memory"},
		{"imprimatur/core/writing", "github.com/jackc/pgx/v5"},
		{"imprimatur/adapters/rest", "imprimatur/adapters/graphql"},
		{"imprimatur/adapters/rest", "go.uber.org/fx"},
		{"imprimatur/adapters/rest", "imprimatur/app/config"},
		{"imprimatur/adapters/sqlstore", "imprimatur/adapters/wire"},
		{"imprimatur/adapters/wire", "imprimatur/adapters/httpx"},
		{"imprimatur/adapters/wire", "net/http"},
	} {
		if importFault(pair[0], pair[1]) == "" {
			t.Errorf("%s may import %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"imprimatur/core/validation", "imprimatur/core"},
		{"imprimatur/core/approval", "imprimatur/core/publishing"},
		{"imprimatur/adapters/rest", "imprimatur/core/access"},
		{"imprimatur/adapters/rest", "imprimatur/adapters/httpx"},
		{"imprimatur/adapters/typescript", "imprimatur/adapters/wire"},
		{"imprimatur/adapters/graphql/exec", "imprimatur/adapters/graphql/model"},
		{"imprimatur/adapters/postgres", "imprimatur/adapters/sqlstore"},
		{"imprimatur/app/service", "go.uber.org/fx"},
	} {
		if fault := importFault(pair[0], pair[1]); fault != "" {
			t.Errorf("%s importing %s: %s", pair[0], pair[1], fault)
		}
	}
}

// vocabulary lists the packages of core that ports and use cases have in common.
var vocabulary = []string{
	"", "account", "address", "assistant", "cachetag", "canonical", "discussion", "entrystatus", "event", "fieldtype", "fileurl", "installation", "letter", "library",
	"notice", "overview", "password", "previewurl", "query", "release", "rendition", "review", "schedule", "secret", "slug", "validation", "webhook", "words",
}

// floor returns the layer of an import path without the module's name.
func floor(path string) int {
	switch first, rest, _ := strings.Cut(path, "/"); {
	case first == "core" && slices.Contains(vocabulary, rest):
		return 0
	case first == "ports":
		return 1
	case first == "core":
		return 2
	case first == "adapters":
		return 3
	default: // app, test
		return 4
	}
}

// sharedUseCases lists the use cases that other use cases may import.
var sharedUseCases = map[string][]string{
	"comments":   {"approval"},
	"publishing": {"access", "approval", "definition", "releasing", "writing"},
	"reading":    {"live"},
}

// sharedAdapters lists the adapters that other adapters may import.
var sharedAdapters = map[string][]string{
	"sqlstore": {"postgres", "sqlite"},
	"httpx":    {"rest", "graphql", "mcp", "files", "dashboard", "pages"},
	"pages":    {"dashboard"},
	"wire":     {"rest", "graphql", "mcp", "typescript", "dashboard", "webhook", "pages"},
	"egress":   {"webhook", "oidc"},
}

// confined lists libraries with the top-level directories that may import them.
var confined = map[string][]string{
	"go.uber.org/fx":                      {"app"},
	"go.uber.org/zap":                     {"app", "adapters", "test"},
	"net/http":                            {"app", "adapters", "test"},
	"database/sql":                        {"app", "adapters", "test"},
	"github.com/danielgtaylor/huma/v2":    {"adapters"},
	"github.com/99designs/gqlgen/graphql": {"adapters"},
	"github.com/urfave/cli/v3":            {"app"},
	"github.com/jackc/pgx/v5":             {"adapters", "app", "test"},
	"modernc.org/sqlite":                  {"adapters", "test"},
	"github.com/maypok86/otter/v2":        {"adapters"},
	"github.com/redis/rueidis":            {"adapters"},
	"github.com/prometheus/client_golang": {"adapters", "app"},
	"golang.org/x/term":                   {"app"},
	"github.com/getkin/kin-openapi":       {"adapters", "test"},
	"github.com/vektah/gqlparser/v2":      {"adapters", "test"},
	"github.com/alexedwards/argon2id":     {"adapters"},
	"github.com/microcosm-cc/bluemonday":  {"core"},
	"github.com/gabriel-vasile/mimetype":  {"core", "adapters"},
	"go.opentelemetry.io":                 {"adapters", "test"},
}

func importFault(importer, imported string) string {
	from := strings.TrimPrefix(importer, "imprimatur/")
	to, ours := strings.CutPrefix(imported, "imprimatur/")
	if !ours {
		if part(from) == "wire" && imported == "net/http" {
			return "package wire has shapes, not HTTP"
		}
		for library, places := range confined {
			if imported == library || strings.HasPrefix(imported, library+"/") {
				if first, _, _ := strings.Cut(from, "/"); !slices.Contains(places, first) {
					return "only " + strings.Join(places, ", ") + " may import it"
				}
			}
		}
		return ""
	}
	switch {
	case floor(to) > floor(from):
		return "it is on a higher layer"
	case floor(from) == 2 && floor(to) == 2 && part(from) != part(to) && !slices.Contains(sharedUseCases[part(to)], part(from)):
		return "use cases do not import each other"
	case floor(from) == 3 && floor(to) == 3 && part(from) != part(to) && !slices.Contains(sharedAdapters[part(to)], part(from)):
		return "adapters do not import each other"
	}
	return ""
}

// part returns the second element of a path: "writing" of "core/writing".
func part(path string) string {
	elements := strings.Split(path, "/")
	if len(elements) < 2 {
		return ""
	}
	return elements[1]
}

// listPackages returns every package of the module with its imports outside tests.
func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Imports", "imprimatur/...")
	command.Dir = ".."
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages listed", len(packages))
	}
	return packages
}
