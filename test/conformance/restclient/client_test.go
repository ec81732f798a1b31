//go:build generated

package restclient

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"os"
	"testing"

	"github.com/google/uuid"
	_ "github.com/oapi-codegen/runtime" // of the generated file, for go mod tidy

	"imprimatur/app/demo"
)

// TestClient reads, writes and uploads by the generated client, against the demo whose facts are in the folder DEMO.
func TestClient(t *testing.T) {
	facts, err := demo.Load(os.Getenv("DEMO"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClientWithResponses(facts.BaseURL, WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+facts.Tokens.WorldDesk.Full)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	project := uuid.MustParse(facts.Projects.WorldDesk.UUID)
	list, err := client.ListEntriesWithResponse(t.Context(), project, "countries", &ListEntriesParams{
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
	create := func() *CreateEntryResponse {
		key := CreateEntryParams{IdempotencyKey: new("0d6f3c1e-5b7a-4f5e-9c1d-2e8a7b6c5d4f")}
		created, err := client.CreateEntryWithResponse(t.Context(), project, "articles", &key, EntryWrite{
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
	uploaded, err := client.UploadPublicMediaWithBodyWithResponse(t.Context(), project, &UploadPublicMediaParams{}, parts.FormDataContentType(), &form)
	if err != nil {
		t.Fatal(err)
	}
	item := uploaded.JSON201
	if item == nil || item.MimeType != "text/plain" || item.FileName != "written in Go.txt" || item.Caption == nil || *item.Caption != "By a generated client" {
		t.Errorf("upload: %s %s", uploaded.Status(), uploaded.Body)
	}
	wrong, err := client.ListEntriesWithResponse(t.Context(), project, "countries", &ListEntriesParams{Sort: new("nothing")})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.ApplicationproblemJSON400 == nil || wrong.ApplicationproblemJSON400.Code == "" {
		t.Errorf("unknown field: %s %s", wrong.Status(), wrong.Body)
	}
}
