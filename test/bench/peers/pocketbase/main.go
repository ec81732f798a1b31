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
		Short: "Create the collections and import the articles from standard input, one JSON object per line",
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

// fill creates the collections, whose published records are public, and disables request
// logs, as for all peers.
func fill(app core.App) error {
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	desks, authors, articles := named("desks"), named("authors"), core.NewBaseCollection("articles")
	if err := app.Save(desks); err != nil {
		return err
	}
	authors.Fields.Add(&core.RelationField{Name: "desk", CollectionId: desks.Id, MaxSelect: 1})
	if err := app.Save(authors); err != nil {
		return err
	}
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
		&core.RelationField{Name: "author", CollectionId: authors.Id, MaxSelect: 1},
	)
	articles.AddIndex("articles_slug", true, "slug", "")
	articles.AddIndex("articles_published_on", false, "publishedOn", "")
	articles.AddIndex("articles_category_views", false, "category, views", "")
	articles.AddIndex("articles_status_published_on", false, "status, publishedOn", "")
	if guaranteed {
		for _, field := range []string{"status", "title", "body", "views", "rating", "category", "tags", "featured"} { // the others have one, and no write sets an author
			articles.AddIndex("articles_each_"+field, false, field, "")
		}
	}
	if err := app.Save(articles); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	links := linker{app, map[string]string{}}
	for n := 1; lines.Scan(); n++ {
		var fields map[string]any
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			return err
		}
		record := core.NewRecord(articles)
		desk, err := links.id(desks, fields["desk"], nil)
		if err != nil {
			return err
		}
		if fields["author"], err = links.id(authors, fields["author"], map[string]any{"desk": desk}); err != nil {
			return err
		}
		delete(fields, "desk")
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

// named returns a public collection of records with a name.
func named(name string) *core.Collection {
	collection := core.NewBaseCollection(name)
	collection.ListRule = types.Pointer("")
	collection.ViewRule = collection.ListRule
	collection.Fields.Add(&core.TextField{Name: "name"})
	return collection
}

// linker creates the records that articles link to.
type linker struct {
	app core.App
	ids map[string]string // by name
}

// id returns the id of the record of that name, which it creates with more fields if it is new.
func (l linker) id(collection *core.Collection, name any, more map[string]any) (string, error) {
	key := fmt.Sprint(name)
	if id, exists := l.ids[key]; exists {
		return id, nil
	}
	record := core.NewRecord(collection)
	record.Load(more)
	record.Set("name", name)
	if err := l.app.Save(record); err != nil {
		return "", fmt.Errorf("%s %s: %w", collection.Name, key, err)
	}
	l.ids[key] = record.Id
	return record.Id, nil
}
