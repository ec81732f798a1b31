package conformance

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/app/demo"
	"imprimatur/test/program"
)

// projectDocument writes the OpenAPI document of the World Desk to a file.
func projectDocument(t *testing.T, facts demo.Facts) string {
	t.Helper()
	client := http.Client{Transport: bearer(facts.Tokens.WorldDesk.ReadOnly)}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, facts.BaseURL+"/public/v2/projects/"+facts.Projects.WorldDesk.UUID+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %v: %s", response.Status, err, body)
	}
	file := filepath.Join(t.TempDir(), "project.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestProjectDocumentLinter(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	output := node(t, "redocly", "lint", "--extends=recommended", "--max-problems=100", projectDocument(t, facts))
	if strings.Contains(output, "You have") { // and its number of warnings
		t.Error(output)
	}
}

func TestProjectTypeScriptClient(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	node(t, "openapi-typescript", projectDocument(t, facts), "--output", "project.d.ts")
	node(t, "tsc", "--project", "project-tsconfig.json")
	t.Log(node(t, "node", "node_modules/.project/project-client.js", facts.BaseURL+"/public/v2/projects/"+facts.Projects.WorldDesk.UUID, facts.Tokens.WorldDesk.Full))
}

// TestProjectGoClient runs a client by oapi-codegen. ogen, which supports less of OpenAPI, must generate one too.
func TestProjectGoClient(t *testing.T) {
	t.Parallel()
	demo, facts := program.Demo(t)
	document := projectDocument(t, facts)
	runGenerated(t, demo, "projectclient", document)
	toolOf(t, "ogen.mod", "ogen", "--target", filepath.Join(t.TempDir(), "client"), "--package", "client", document)
}
