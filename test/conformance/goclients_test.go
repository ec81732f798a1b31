package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/Khan/genqlient/graphql"

	"imprimatur/test/conformance/graphqlclient"
	"imprimatur/test/program"
)

// TestGeneratedClientIsFresh generates the GraphQL client again and compares it with the committed one.
func TestGeneratedClientIsFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("graphqlclient")); err != nil {
		t.Fatal(err)
	}
	schema, err := filepath.Abs("../../api/schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("graphqlclient/genqlient.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.Replace(config, []byte("../../../api/schema.graphqls"), []byte(schema), 1)
	if err := os.WriteFile(filepath.Join(dir, "genqlient.yaml"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "genqlient", filepath.Join(dir, "genqlient.yaml"))
	wantEqualFiles(t, "graphqlclient/graphqlclient.gen.go", filepath.Join(dir, "graphqlclient.gen.go"))
}

// tool runs one of the development tools.
func tool(t *testing.T, args ...string) {
	t.Helper()
	toolOf(t, "go.mod", args...)
}

// toolOf runs a development tool of one of the module files in .tools.
func toolOf(t *testing.T, module string, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", append([]string{"tool", "-modfile=../../.tools/" + module}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, output)
	}
}

func wantEqualFiles(t *testing.T, committed, generated string) {
	t.Helper()
	old, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, fresh) {
		t.Errorf("%s is stale: run go generate ./test/conformance/...", committed)
	}
}

// TestGoRESTClient generates a client from the OpenAPI document and runs the tests of restclient with it, against
// the demo. The client is not committed: it is as long as the program's own adapters.
func TestGoRESTClient(t *testing.T) {
	t.Parallel()
	demo, _ := program.Demo(t)
	runGenerated(t, demo, "restclient", "../../api/openapi.yaml")
}

// runGenerated generates a client of a document with oapi-codegen and runs the tests of the package that it belongs
// to, against the demo.
func runGenerated(t *testing.T, demo *program.Process, pack, document string) {
	t.Helper()
	generated := filepath.Join(t.TempDir(), pack+".gen.go")
	tool(t, "oapi-codegen", "-config", pack+"/generate.yaml", "-o", generated, document)
	place, err := filepath.Abs(filepath.Join(pack, pack+".gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{place: generated}})
	if err != nil {
		t.Fatal(err)
	}
	file := generated + ".json"
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-ldflags=-w", "-tags=generated", "-overlay", file, "-v", "./"+pack)
	command.Env = append(os.Environ(), "DEMO="+filepath.Join(demo.Dir, "var", "demo"))
	output, err := command.CombinedOutput()
	if err != nil || !bytes.Contains(output, []byte("--- PASS: TestClient")) {
		t.Fatalf("%v\n%s", err, output)
	}
}

func TestGoGraphQLClient(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	client := graphql.NewClient(facts.BaseURL+"/public/v2/graphql", &http.Client{Transport: bearer(facts.Tokens.WorldDesk.ReadOnly)})
	response, err := graphqlclient.Countries(t.Context(), client, json.RawMessage(`"Africa"`), 3)
	if err != nil {
		t.Fatal(err)
	}
	entries := response.Entries
	if entries.TotalCount == nil || *entries.TotalCount != 59 || len(entries.Items) != 3 {
		t.Fatalf("entries: %+v", entries)
	}
	var first struct{ Name string }
	if err := json.Unmarshal(entries.Items[0].Data, &first); err != nil || first.Name != "Algeria" {
		t.Errorf("first is %q (%v)", first.Name, err)
	}
	if entries.Items[0].CreatedAt != nil || entries.Items[0].PublishedAt == nil {
		t.Errorf("times: %+v", entries.Items[0])
	}
}

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
