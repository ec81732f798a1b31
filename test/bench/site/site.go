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
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/transfer"
	"imprimatur/ports"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// Site is a project with articles, and the data that its readers need.
type Site struct {
	UUID   string // of the project
	Token  string // with read ability, without a rate limit
	Middle int64  // id of the article in the middle
	After  string // the cursor after the 50,000th of the newest articles; empty: there are fewer
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
	in := filler{collections, importer, system, project}
	if err := in.fill(ctx, "articles", articleFields, func(w io.Writer) error { return article.WriteLines(w, count) }); err != nil {
		return Site{}, err
	}
	if err := db.Vacuum(ctx); err != nil { // as the import command does
		return Site{}, err
	}
	middle, err := entryAt(ctx, reader, project, int64(count/2))
	if err != nil {
		return Site{}, err
	}
	after, err := cursorAfter(ctx, reader, project, 50_000)
	return Site{project.UUID, token, middle, after}, err
}

// Relate adds desks, authors and count reports to the project of a database that Fill has filled.
func (s Site) Relate(ctx context.Context, databaseURL string, count int) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel, cfg.Bulk = databaseURL, "error", true
	in := filler{actor: core.Actor{System: true}}
	var stores ports.Stores
	var db *sqlstore.DB
	stop, err := service.Use(ctx, cfg, &in.collections, &in.importer, &stores, &db)
	if err != nil {
		return err
	}
	defer stop()
	if in.project, err = stores.Projects.ProjectByUUID(ctx, s.UUID); err != nil {
		return err
	}
	name := definition.FieldInput{Name: "name", Type: core.TypeText, Unique: true}
	if err := in.fill(ctx, "desks", []definition.FieldInput{name}, article.WriteDesks); err != nil {
		return err
	}
	desk := definition.FieldInput{Name: "desk", Type: core.TypeRelation, Collection: "desks"}
	if err := in.fill(ctx, "authors", []definition.FieldInput{name, desk}, article.WriteAuthors); err != nil {
		return err
	}
	reports := append(slices.Clone(articleFields), definition.FieldInput{Name: "author", Type: core.TypeRelation, Collection: "authors"})
	if err := in.fill(ctx, "reports", reports, func(w io.Writer) error { return article.WriteReports(w, count) }); err != nil {
		return err
	}
	return db.Vacuum(ctx)
}

var articleFields = []definition.FieldInput{
	{Name: "title", Type: core.TypeText, Required: true, Searchable: true},
	{Name: "slug", Type: core.TypeSlug, Unique: true},
	{Name: "body", Type: core.TypeLongText},
	{Name: "views", Type: core.TypeNumber},
	{Name: "rating", Type: core.TypeNumber},
	{Name: "publishedOn", Type: core.TypeDate},
	{Name: "category", Type: core.TypeText},
	{Name: "tags", Type: core.TypeText, Multiple: true},
	{Name: "featured", Type: core.TypeBoolean},
}

// filler adds collections with entries to a project.
type filler struct {
	collections *definition.Collections
	importer    *transfer.Importer
	actor       core.Actor
	project     *core.Project
}

// fill adds a collection with the entries that write writes.
func (f filler) fill(ctx context.Context, slug string, fields []definition.FieldInput, write func(io.Writer) error) error {
	collection, err := f.collections.Create(ctx, f.actor, f.project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	if err != nil {
		return err
	}
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(write(writer)) }()
	report, err := f.importer.Import(ctx, f.actor, f.project, collection.ID, lines, transfer.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	return err
}

func entryAt(ctx context.Context, reader *reading.Reader, project *core.Project, offset int64) (int64, error) {
	listing, err := reader.Prepare(ctx, project, false, query.Query{Collection: "articles", Sort: "id", Offset: &offset, Limit: new(int64(1))})
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

// cursorAfter returns the cursor after the first count of the newest articles.
func cursorAfter(ctx context.Context, reader *reading.Reader, project *core.Project, count int64) (string, error) {
	listing, err := reader.Prepare(ctx, project, false, query.Query{Collection: "articles", Sort: newest, Offset: new(count - 1), Limit: new(int64(1)), Cursor: true})
	if err != nil {
		return "", err
	}
	page, err := listing.Page(ctx)
	if err != nil {
		return "", err
	}
	return page.Next, nil
}

// newest is the order of most queries.
const newest = "publishedOn:desc"

// REST returns the REST requests of all queries of package article by name. Q8 is missing if there are fewer
// articles.
func (s Site) REST(address string) map[string]load.Request {
	entries := "/public/v2/projects/" + s.UUID + "/collections/articles/entries"
	get := func(query string) load.Request {
		return load.NewRequest(address, "GET", entries+query, s.Token, "")
	}
	newest := "?limit=20&sort=" + newest
	requests := map[string]load.Request{
		"Q1":  get(newest),
		"Q2":  get("?limit=20&where[category]=cat07&where[views][gt]=50000&sort=views:desc"),
		"Q3":  get("/" + strconv.FormatInt(s.Middle, 10)),
		"Q4":  get(newest + "&count=true"),
		"Q5":  get(newest + "&offset=50000"),
		"Q6":  get(newest + "&where[title][like]=" + url.QueryEscape(article.Needle)),
		"Q8":  get(newest + "&after=" + s.After),
		"Q9":  get("?limit=20&search=" + url.QueryEscape(article.Needle+" "+article.Prefix)),
		"Q10": get("/counts?by=category"),
		"Q11": get(newest + "&alternates=true"),
		"Q12": load.NewRequest(address, "GET", strings.Replace(entries, "articles", "authors", 1)+"?limit=20&referrers=reports.author:5", s.Token, ""),
	}
	for name, depth := range map[string]string{"Q7.0": "0", "Q7.1": "1", "Q7": "2"} {
		reports := strings.Replace(entries, "articles", "reports", 1) + newest + "&fields=title,slug,category,publishedOn,views,author&depth=" + depth
		requests[name] = load.NewRequest(address, "GET", reports, s.Token, "")
	}
	if s.After == "" {
		delete(requests, "Q8")
	}
	return requests
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
	newest := `sort: "` + newest + `"`
	return map[string]load.Request{
		"Q1": entries(newest, ""),
		"Q2": entries(`sort: "views:desc", where: [{field: "category", value: "cat07"}, {field: "views", op: "gt", value: 50000}]`, ""),
		"Q3": post(fmt.Sprintf(`{ entry(collection: "articles", id: %d) { id locale publishedAt data } }`, s.Middle)),
		"Q4": entries(newest, "totalCount"),
		"Q5": entries(newest+", offset: 50000", ""),
		"Q6": entries(newest+`, where: [{field: "title", op: "like", value: "`+article.Needle+`"}]`, ""),
	}
}
