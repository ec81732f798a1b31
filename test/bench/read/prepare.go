package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/content"
)

const referenceName = "reference"

// prepare fills the databases and starts the servers. stop is never nil.
func prepare(ctx context.Context, o options, binary string) (targets []target, stop func(), err error) {
	var running []*exec.Cmd
	stop = func() {
		for _, command := range running {
			_ = command.Process.Kill() // it may have ended
			_ = command.Wait()
		}
	}
	start := func(name string, args ...string) (int, error) {
		command := exec.CommandContext(ctx, name, args...)
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			return 0, err
		}
		running = append(running, command)
		return command.Process.Pid, nil
	}
	reference, err := prepareReference(ctx, o, start)
	if err != nil {
		return nil, stop, fmt.Errorf("reference: %w", err)
	}
	onPostgres, err := prepareOurs(ctx, o, "Postgres", o.postgres, binary, start)
	if err != nil {
		return nil, stop, fmt.Errorf("postgres: %w", err)
	}
	targets = append([]target{reference}, onPostgres...)
	postmaster, err := postmasterPID(ctx, o.postgres)
	if err != nil {
		return nil, stop, err
	}
	for i := range targets {
		targets[i].pids = append(targets[i].pids, postmaster)
	}
	onSQLite, err := prepareOurs(ctx, o, "SQLite", "sqlite:"+filepath.Join(o.dir, "bench.db"), binary, start)
	if err != nil {
		return nil, stop, fmt.Errorf("sqlite: %w", err)
	}
	return append(targets, onSQLite...), stop, nil
}

type starter func(name string, args ...string) (pid int, err error)

func prepareReference(ctx context.Context, o options, start starter) (target, error) {
	if err := fillReference(ctx, o.postgres, o.articles); err != nil {
		return target{}, err
	}
	address, err := freeAddress()
	if err != nil {
		return target{}, err
	}
	pid, err := start(os.Args[0], "-reference", address, "-postgres", o.postgres)
	if err != nil {
		return target{}, err
	}
	t := target{name: referenceName, pids: []int{pid}, requests: map[string]request{}}
	for _, q := range queryNames {
		t.requests[q] = newRequest(address, "GET", "/"+q, "", "")
	}
	return t, await(t.requests["Q3"])
}

// prepareOurs fills a database through the importer and serves it by the real
// program; REST and GraphQL are two targets on the one server.
func prepareOurs(ctx context.Context, o options, engine, databaseURL, binary string, start starter) ([]target, error) {
	started := time.Now()
	uuid, token, middle, err := fill(ctx, o, databaseURL)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d articles imported in %.1f s\n", engine, o.articles, time.Since(started).Seconds())
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	pid, err := start(binary, "serve", "--database-url", databaseURL, "--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error")
	if err != nil {
		return nil, err
	}
	rest := target{name: engine + " REST", pids: []int{pid}, requests: restRequests(address, uuid, token, middle)}
	graphql := target{name: engine + " GraphQL", pids: []int{pid}, requests: graphqlRequests(address, token, middle)}
	return []target{rest, graphql}, await(rest.requests["Q3"])
}

// fill makes a project with the articles, all published, and returns its UUID, a
// token without a rate limit and the id of an article in the middle.
func fill(ctx context.Context, o options, databaseURL string) (uuid, token string, middle int64, err error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = databaseURL, "error"
	var organisation *access.Organisation
	var tokens *access.Tokens
	var collections *content.Collections
	var importer *content.Importer
	var reader *content.Reader
	stop, err := service.Use(ctx, cfg, &organisation, &tokens, &collections, &importer, &reader)
	if err != nil {
		return "", "", 0, err
	}
	defer stop()
	tenant, err := organisation.CreateTenant(ctx, access.TenantInput{Name: "Bench"})
	if err != nil {
		return "", "", 0, err
	}
	project, err := organisation.CreateProject(ctx, tenant.ID, access.ProjectInput{Name: "Bench", Locales: []string{"en"}})
	if err != nil {
		return "", "", 0, err
	}
	system := core.Actor{System: true}
	_, token, err = tokens.Create(ctx, system, project, access.TokenInput{Name: "bench", Abilities: []core.Ability{core.AbilityRead}, RateLimit: new(0)})
	if err != nil {
		return "", "", 0, err
	}
	collection, err := collections.Create(ctx, project, content.CollectionInput{
		Slug: "articles", Name: "Articles",
		Fields: []content.FieldInput{
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
		return "", "", 0, err
	}
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(importLines(writer, o.articles)) }()
	report, err := importer.Import(ctx, system, project, collection.ID, lines, content.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	if err != nil {
		return "", "", 0, err
	}
	middle, err = entryAt(ctx, reader, project, int64(o.articles/2))
	return project.UUID, token, middle, err
}

func entryAt(ctx context.Context, reader *content.Reader, project *core.Project, offset int64) (int64, error) {
	listing, err := reader.Prepare(ctx, project, false, core.Query{Collection: "articles", Sort: "id", Offset: &offset, Limit: new(int64(1))})
	if err != nil {
		return 0, err
	}
	page, err := listing.Page(ctx)
	if err != nil {
		return 0, err
	}
	if len(page.Entries) != 1 {
		return 0, errors.New("the articles are not there")
	}
	return page.Entries[0].ID, nil
}

func restRequests(address, uuid, token string, middle int64) map[string]request {
	entries := "/public/v2/projects/" + uuid + "/collections/articles/entries"
	get := func(query string) request {
		return newRequest(address, "GET", entries+query, token, "")
	}
	newest := "?limit=20&sort=publishedOn:desc"
	return map[string]request{
		"Q1": get(newest),
		"Q2": get("?limit=20&where[category]=cat07&where[views][gt]=50000&sort=views:desc"),
		"Q3": get("/" + strconv.FormatInt(middle, 10)),
		"Q4": get(newest + "&count=true"),
		"Q5": get(newest + "&offset=50000"),
		"Q6": get(newest + "&where[title][like]=" + url.QueryEscape(needle)),
	}
}

func graphqlRequests(address, token string, middle int64) map[string]request {
	post := func(query string) request {
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			panic(err) // a map of strings always encodes
		}
		return newRequest(address, "POST", "/public/v2/graphql", token, string(body))
	}
	entries := func(arguments, more string) request {
		return post(fmt.Sprintf(`{ entries(collection: "articles", limit: 20, %s) { %s items { id locale publishedAt data } } }`, arguments, more))
	}
	newest := `sort: "publishedOn:desc"`
	return map[string]request{
		"Q1": entries(newest, ""),
		"Q2": entries(`sort: "views:desc", where: [{field: "category", value: "cat07"}, {field: "views", op: "gt", value: 50000}]`, ""),
		"Q3": post(fmt.Sprintf(`{ entry(collection: "articles", id: %d) { id locale publishedAt data } }`, middle)),
		"Q4": entries(newest, "totalCount"),
		"Q5": entries(newest+", offset: 50000", ""),
		"Q6": entries(newest+`, where: [{field: "title", op: "like", value: "`+needle+`"}]`, ""),
	}
}

// await waits for a server's first answer and shows that it is a good one.
func await(r request) error {
	var last error
	for range 100 {
		if c, err := dial(r.address); err != nil {
			last = err
		} else {
			var body strings.Builder
			status, err := c.do(r, &body)
			_ = c.Close() // asked once
			if err == nil && status == 200 && body.Len() > 100 {
				return nil
			}
			last = fmt.Errorf("status %d: %.200s %w", status, body.String(), err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s does not serve: %w", r.address, last)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a short command
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// postmasterPID returns the process that the server's backends are children of.
func postmasterPID(ctx context.Context, databaseURL string) (int, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the answer is there
	var dir string
	if err := conn.QueryRow(ctx, "show data_directory").Scan(&dir); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}
