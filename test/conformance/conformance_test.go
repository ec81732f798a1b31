// Package conformance tests the two APIs with independent tools: the GraphQL over HTTP
// audits, OpenAPI linters, and common and generated clients.
package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// install installs the npm packages of the lock file, once.
var install = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("npm", "ci", "--ignore-scripts", "--no-progress").CombinedOutput()
})

// node runs a command that npm installed, or node or npm itself, and returns its output.
func node(t *testing.T, name string, args ...string) string {
	t.Helper()
	if output, err := install(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, output)
	}
	if name != "node" && name != "npm" {
		name = filepath.Join("node_modules", ".bin", name)
	}
	output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, output)
	}
	return string(output)
}

func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	t.Log(node(t, "node", "graphql-audit.mjs", facts.BaseURL+"/public/v2/graphql", facts.Tokens.WorldDesk.ReadOnly))
}

func TestGraphQLClients(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	t.Log(node(t, "node", "graphql-clients.mjs", facts.BaseURL+"/public/v2/graphql", facts.Tokens.WorldDesk.ReadOnly))
}

func TestOpenAPILinters(t *testing.T) {
	t.Parallel()
	const document = "../../api/openapi.yaml"
	t.Log(node(t, "redocly", "lint", "--extends=recommended", "--max-problems=100", document))
	t.Log(node(t, "spectral", "lint", "--ruleset=.spectral.yaml", "--fail-severity=hint", document))
}

func TestOpenAPITypeScriptClient(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t, "--webhook-allow", "127.0.0.0/8")
	node(t, "openapi-typescript", "../../api/openapi.yaml", "--output", "openapi.d.ts")
	node(t, "tsc", "--project", "tsconfig.json")
	t.Log(node(t, "node", "node_modules/.compiled/rest-client.js", facts.BaseURL, facts.Tokens.WorldDesk.Full, facts.Projects.WorldDesk.UUID))
	admin, blog := facts.Users["superAdmin"], facts.Projects.Blog
	t.Log(node(t, "node", "node_modules/.compiled/webhooks.js", facts.BaseURL, admin.Email, admin.Password, strconv.FormatInt(blog.ID, 10), blog.UUID, facts.Tokens.Blog.Full))
}

// TestAssistant connects the official client of the Model Context Protocol to the demo.
func TestAssistant(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	node(t, "tsc", "--strict", "--target", "ES2022", "--module", "NodeNext", "--types", "node", "--skipLibCheck", "--outDir", "node_modules/.assistant", "assistant.ts")
	reviewer, desk := facts.Users["projectAdmin"], facts.Projects.WorldDesk
	t.Log(node(t, "node", "node_modules/.assistant/assistant.js", facts.BaseURL, facts.Assistant, reviewer.Email, reviewer.Password, strconv.FormatInt(desk.ID, 10), facts.Tokens.WorldDesk.ReadOnly, desk.UUID))
}

// TestPictureExample compiles and runs the example of a picture in several sizes of the API guide. Each
// address in its result must answer a picture of the size that it names.
func TestPictureExample(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	guide, err := os.ReadFile("../../api/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(guide), "### Pictures\n")
	_, example, _ = strings.Cut(example, "```ts\n")
	example, _, found := strings.Cut(example, "```")
	if !found {
		t.Fatal("the guide has no example")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "image.mts")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	node(t, "tsc", "--strict", "--target", "ES2022", "--module", "NodeNext", "--types", "node", "--skipLibCheck", "--outDir", folder, file)
	t.Log(node(t, "node", "picture-example.mjs", filepath.Join(folder, "image.mjs"), facts.BaseURL, facts.Tokens.WorldDesk.ReadOnly, facts.Projects.WorldDesk.UUID))
}
