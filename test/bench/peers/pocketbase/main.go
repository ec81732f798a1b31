// Command pocketbase is PocketBase with an additional command that imports the articles.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

// guaranteed reports whether PocketBase gives the guarantees of the program: a commit is on disk
// before its response, and each field has an index.
var guaranteed = os.Getenv("GUARANTEED") != ""

// connect opens a database with the options of PocketBase, but synchronous=FULL.
func connect(path string) (*dbx.DB, error) {
	return dbx.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)"+
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)")
}

func main() {
	config := pocketbase.Config{}
	if guaranteed {
		config.DBConnect = connect
	}
	app := pocketbase.NewWithConfig(config)
	app.RootCmd.AddCommand(&cobra.Command{
		Use:   "fill",
		Short: "Create the collection of articles and import them from standard input, one JSON object per line",
		Run: func(*cobra.Command, []string) { // PocketBase would exit with 0 after an error
			if err := bootstrap(app); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
	if err := app.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bootstrap creates the database and fills it.
func bootstrap(app core.App) error {
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	return app.RunInTransaction(fill)
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
	if guaranteed {
		for _, field := range []string{"status", "title", "body", "views", "rating", "category", "tags", "featured"} { // the others have one
			articles.AddIndex("articles_each_"+field, false, field, "")
		}
	}
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
