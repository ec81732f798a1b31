// Command pocketbase is PocketBase with an additional command that imports the articles.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

func main() {
	app := pocketbase.New()
	app.RootCmd.AddCommand(&cobra.Command{
		Use:   "fill",
		Short: "Create the collection of articles and import them from standard input, one JSON object per line",
		RunE: func(*cobra.Command, []string) error {
			if err := app.Bootstrap(); err != nil {
				return err
			}
			if err := app.RunAllMigrations(); err != nil {
				return err
			}
			return app.RunInTransaction(fill)
		},
	})
	if err := app.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fill creates the collection, whose published records are public, and disables request
// logs, as for all peers.
func fill(app core.App) error {
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	articles := core.NewBaseCollection("articles")
	articles.ListRule = types.Pointer(`status = "published"`)
	articles.ViewRule = articles.ListRule
	articles.CreateRule = types.Pointer("") // public, for the write benchmark
	articles.Fields.Add(
		&core.SelectField{Name: "status", Values: []string{"draft", "published"}},
		&core.TextField{Name: "title", Required: true},
		&core.TextField{Name: "slug"},
		&core.TextField{Name: "body"},
		&core.NumberField{Name: "views", OnlyInt: true},
		&core.NumberField{Name: "rating"},
		&core.DateField{Name: "publishedOn"},
		&core.TextField{Name: "category"},
		&core.JSONField{Name: "tags"},
		&core.BoolField{Name: "featured"},
	)
	articles.AddIndex("articles_slug", true, "slug", "")
	articles.AddIndex("articles_published_on", false, "publishedOn", "")
	articles.AddIndex("articles_category_views", false, "category, views", "")
	articles.AddIndex("articles_status_published_on", false, "status, publishedOn", "")
	if err := app.Save(articles); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var fields map[string]any
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			return err
		}
		record := core.NewRecord(articles)
		record.Load(fields)
		record.Id = fmt.Sprintf("a%014d", n)
		record.Set("status", "published")
		if err := app.SaveNoValidate(record); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	_, err := app.DB().NewQuery("ANALYZE").Execute()
	return err
}
