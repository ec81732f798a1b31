package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/Khan/genqlient/graphql"
	"github.com/google/uuid"

	"imprimatur/test/conformance/graphqlclient"
	"imprimatur/test/conformance/restclient"
	"imprimatur/test/program"
)

// TestGeneratedClientsAreFresh generates both clients again and compares them with the
// committed ones.
func TestGeneratedClientsAreFresh(t *testing.T) {
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
	rest := filepath.Join(dir, "restclient.gen.go")
	tool(t, "oapi-codegen", "-config", "restclient/generate.yaml", "-o", rest, "../../api/openapi.yaml")
	tool(t, "genqlient", filepath.Join(dir, "genqlient.yaml"))
	wantEqualFiles(t, "restclient/restclient.gen.go", rest)
	wantEqualFiles(t, "graphqlclient/graphqlclient.gen.go", filepath.Join(dir, "graphqlclient.gen.go"))
}

// tool runs one of the development tools.
func tool(t *testing.T, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", append([]string{"tool", "-modfile=../../.tools/go.mod"}, args...)...).CombinedOutput()
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

func TestGoRESTClient(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	client, err := restclient.NewClientWithResponses(facts.BaseURL, restclient.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+facts.Tokens.WorldDesk.Full)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	project := uuid.MustParse(facts.Projects.WorldDesk.UUID)
	list, err := client.ListEntriesWithResponse(t.Context(), project, "countries", &restclient.ListEntriesParams{
		Sort: new("area:desc"), Limit: new(int64(2)), Count: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	if list.JSON200 == nil || len(list.JSON200.Data) != 2 || list.JSON200.Meta.Total == nil || *list.JSON200.Meta.Total != 250 {
		t.Fatalf("list: %s %s", list.Status(), list.Body)
	}
	if name, _ := list.JSON200.Data[0].Get("name"); name != "Russia" {
		t.Errorf("first is %v", name)
	}
	create := func() *restclient.CreateEntryResponse {
		key := restclient.CreateEntryParams{IdempotencyKey: new("0d6f3c1e-5b7a-4f5e-9c1d-2e8a7b6c5d4f")}
		created, err := client.CreateEntryWithResponse(t.Context(), project, "articles", &key, restclient.EntryWrite{
			Fields: &map[string]any{"title": "Written in Go"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if created.JSON201 == nil || created.JSON201.State != "draft" || created.JSON201.Version != 1 {
			t.Fatalf("create: %s %s", created.Status(), created.Body)
		}
		return created
	}
	if first, again := create(), create(); first.JSON201.Id != again.JSON201.Id {
		t.Errorf("a repeated request created the entries %d and %d", first.JSON201.Id, again.JSON201.Id)
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	file, err := parts.CreateFormFile("file", "written in Go.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte("written in Go")) // writes to a buffer cannot fail
	_ = parts.WriteField("caption", "By a generated client")
	_ = parts.Close()
	uploaded, err := client.UploadPublicMediaWithBodyWithResponse(t.Context(), project, &restclient.UploadPublicMediaParams{}, parts.FormDataContentType(), &form)
	if err != nil {
		t.Fatal(err)
	}
	if item := uploaded.JSON201; item == nil || item.MimeType != "text/plain" || item.FileName != "written in Go.txt" || item.Caption == nil || *item.Caption != "By a generated client" {
		t.Errorf("upload: %s %s", uploaded.Status(), uploaded.Body)
	}
	wrong, err := client.ListEntriesWithResponse(t.Context(), project, "countries", &restclient.ListEntriesParams{Sort: new("nothing")})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.ApplicationproblemJSON400 == nil || wrong.ApplicationproblemJSON400.Code == "" {
		t.Errorf("unknown field: %s %s", wrong.Status(), wrong.Body)
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
