//go:build generated

package projectclient

import (
	"context"
	"net/http"
	"os"
	"testing"

	_ "github.com/oapi-codegen/runtime" // of the generated file, for go mod tidy

	"imprimatur/app/demo"
)

// TestClient reads and writes by the generated client, against the demo whose facts are in the folder DEMO.
func TestClient(t *testing.T) {
	facts, err := demo.Load(os.Getenv("DEMO"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClientWithResponses(facts.BaseURL+"/public/v2/projects/"+facts.Projects.WorldDesk.UUID, WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+facts.Tokens.WorldDesk.Full)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.ListEntriesOfCountriesWithResponse(t.Context(), &ListEntriesOfCountriesParams{
		Where: &CountriesWhereParameter{"region": "Africa", "area": map[string]any{"gt": "1000000"}}, Sort: new("area:desc"), Limit: new(int64(2)), Count: new(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	if list.JSON200 == nil || len(list.JSON200.Data) != 2 || *list.JSON200.Meta.Total < 5 {
		t.Fatalf("list: %s %s", list.Status(), list.Body)
	}
	first := list.JSON200.Data[0]
	if *first.Name != "Algeria" || *first.Area < 2e6 || len(*first.Borders) == 0 {
		t.Errorf("first is %+v", first)
	}
	neighbour, err := (*first.Borders)[0].AsCountriesEntry()
	if err != nil || neighbour.Name == nil {
		t.Errorf("neighbour: %+v (%v)", neighbour, err)
	}
	pages, err := client.ListEntriesOfPagesWithResponse(t.Context(), &ListEntriesOfPagesParams{})
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, page := range pages.JSON200.Data {
		for _, block := range *page.Body {
			switch shown, err := block.ValueByDiscriminator(); shown.(type) {
			case HeroBlock, TextBlock, QuoteBlock, GalleryBlock, RelatedBlock, ActionBlock:
				blocks++
			default:
				t.Errorf("a block is %T: %v", shown, err)
			}
		}
	}
	if blocks == 0 {
		t.Error("no page has a block")
	}
	created, err := client.CreateEntryOfArticlesWithResponse(t.Context(), &CreateEntryOfArticlesParams{}, ArticlesEntryWrite{
		Fields: &ArticlesFields{Title: new("By a client of the Project"), Rating: new(4.5), Country: new(int64(first.Id))},
	})
	if err != nil {
		t.Fatal(err)
	}
	if created.JSON201 == nil || *created.JSON201.Fields.Rating != 4.5 || *created.JSON201.Fields.Country != first.Id || created.JSON201.State != "draft" {
		t.Fatalf("create: %s %s", created.Status(), created.Body)
	}
	wrong, err := client.CreateEntryOfArticlesWithResponse(t.Context(), &CreateEntryOfArticlesParams{}, ArticlesEntryWrite{Fields: &ArticlesFields{Rating: new(6.0)}})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.ApplicationproblemJSON422 == nil || wrong.ApplicationproblemJSON422.Code != "invalid" {
		t.Errorf("a rating of 6: %s %s", wrong.Status(), wrong.Body)
	}
}
