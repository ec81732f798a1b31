// Package site imports the articles into a project and builds the program's requests for
// the queries.
package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/transfer"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// Site is a project with articles, and the data that its readers need.
type Site struct {
	UUID   string // of the project
	Token  string // with read ability, without a rate limit
	Middle int64  // id of the article in the middle
}

// Migrate creates the tables of an empty database, so that Fill only imports.
func Migrate(ctx context.Context, databaseURL string) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = databaseURL, "error"
	var db *sqlstore.DB
	stop, err := service.Use(ctx, cfg, &db)
	if err == nil {
		stop()
	}
	return err
}

// Fill creates a project with count published articles.
func Fill(ctx context.Context, databaseURL string, count int) (Site, error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel, cfg.Bulk = databaseURL, "error", true // as the import command does
	var organisation *access.Organisation
	var tokens *access.Tokens
	var collections *definition.Collections
	var importer *transfer.Importer
	var reader *reading.Reader
	var db *sqlstore.DB
	stop, err := service.Use(ctx, cfg, &organisation, &tokens, &collections, &importer, &reader, &db)
	if err != nil {
		return Site{}, err
	}
	defer stop()
	tenant, err := organisation.CreateTenant(ctx, core.Actor{System: true}, "Bench")
	if err != nil {
		return Site{}, err
	}
	project, err := organisation.CreateProject(ctx, core.Actor{System: true}, tenant.ID, access.ProjectInput{Name: "Bench", Locales: []string{"en"}})
	if err != nil {
		return Site{}, err
	}
	system := core.Actor{System: true}
	_, token, err := tokens.Create(ctx, system, project, access.TokenInput{Name: "bench", Abilities: []core.Ability{core.AbilityRead}, RateLimit: new(0)})
	if err != nil {
		return Site{}, err
	}
	collection, err := collections.Create(ctx, core.Actor{System: true}, project, definition.CollectionInput{
		Slug: "articles", Name: "Articles",
		Fields: []definition.FieldInput{
			{Name: "title", Type: core.TypeText, Required: true, Searchable: true},
			{Name: "slug", Type: core.TypeSlug, Unique: true},
			{Name: "body", Type: core.TypeLongText},
			{Name: "views", Type: core.TypeNumber},
			{Name: "rating", Type: core.TypeNumber},
			{Name: "publishedOn", Type: core.TypeDate},
			{Name: "category", Type: core.TypeText},
			{Name: "tags", Type: core.TypeText, Multiple: true},
			{Name: "featured", Type: core.TypeBoolean},
		},
	})
	if err != nil {
		return Site{}, err
	}
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(article.WriteLines(writer, count)) }()
	report, err := importer.Import(ctx, system, project, collection.ID, lines, transfer.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	if err == nil {
		err = db.Vacuum(ctx) // this, too
	}
	if err != nil {
		return Site{}, err
	}
	middle, err := entryAt(ctx, reader, project, int64(count/2))
	return Site{project.UUID, token, middle}, err
}

func entryAt(ctx context.Context, reader *reading.Reader, project *core.Project, offset int64) (int64, error) {
	listing, err := reader.Prepare(ctx, project, false, core.Query{Collection: "articles", Sort: "id", Offset: &offset, Limit: new(int64(1))})
	if err != nil {
		return 0, err
	}
	page, err := listing.Page(ctx)
	if err != nil {
		return 0, err
	}
	if len(page.Entries) != 1 {
		return 0, errors.New("the articles are missing")
	}
	return page.Entries[0].ID, nil
}

// REST returns the REST requests of [article.Queries] by name.
func (s Site) REST(address string) map[string]load.Request {
	entries := "/public/v2/projects/" + s.UUID + "/collections/articles/entries"
	get := func(query string) load.Request {
		return load.NewRequest(address, "GET", entries+query, s.Token, "")
	}
	newest := "?limit=20&sort=publishedOn:desc"
	return map[string]load.Request{
		"Q1": get(newest),
		"Q2": get("?limit=20&where[category]=cat07&where[views][gt]=50000&sort=views:desc"),
		"Q3": get("/" + strconv.FormatInt(s.Middle, 10)),
		"Q4": get(newest + "&count=true"),
		"Q5": get(newest + "&offset=50000"),
		"Q6": get(newest + "&where[title][like]=" + url.QueryEscape(article.Needle)),
	}
}

// GraphQL returns the GraphQL requests of [article.Queries] by name.
func (s Site) GraphQL(address string) map[string]load.Request {
	post := func(query string) load.Request {
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			panic(err) // a map of strings always encodes
		}
		return load.NewRequest(address, "POST", "/public/v2/graphql", s.Token, string(body))
	}
	entries := func(arguments, more string) load.Request {
		return post(fmt.Sprintf(`{ entries(collection: "articles", limit: 20, %s) { %s items { id locale publishedAt data } } }`, arguments, more))
	}
	newest := `sort: "publishedOn:desc"`
	return map[string]load.Request{
		"Q1": entries(newest, ""),
		"Q2": entries(`sort: "views:desc", where: [{field: "category", value: "cat07"}, {field: "views", op: "gt", value: 50000}]`, ""),
		"Q3": post(fmt.Sprintf(`{ entry(collection: "articles", id: %d) { id locale publishedAt data } }`, s.Middle)),
		"Q4": entries(newest, "totalCount"),
		"Q5": entries(newest+", offset: 50000", ""),
		"Q6": entries(newest+`, where: [{field: "title", op: "like", value: "`+article.Needle+`"}]`, ""),
	}
}
