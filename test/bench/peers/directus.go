package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

const (
	directusToken = "the-bench-is-no-secret"
	// directusPublic is the id of the policy for unauthenticated requests, the same in
	// every installation.
	directusPublic = "abf8a154-5b1c-4a46-ac9c-7300570f4f17"
)

// prepareDirectus creates the collections through Directus's API, and returns it with its
// cache off and on.
func prepareDirectus(ctx context.Context, b *bench) ([]*server, error) {
	s, d, err := b.prepareNPM(ctx, "directus")
	if err != nil {
		return nil, err
	}
	if s.version, err = versionOf(s.dir, "directus"); err != nil {
		return nil, err
	}
	say("directus: creating tables, importing the articles")
	uncached := directusServer(b, s, d, "Directus, cache off", "CACHE_ENABLED=false")
	bootstrap := exec.CommandContext(ctx, b.node(), "node_modules/directus/cli.js", "bootstrap")
	bootstrap.Env = append(os.Environ(), uncached.environment...)
	if _, err := outputOf(bootstrap, s.dir); err != nil {
		return nil, err
	}
	if _, err := uncached.start(ctx, load.NewRequest(s.address, "GET", "/server/ping", "", "")); err != nil {
		return nil, err
	}
	err = makeDirectusCollections(s.address)
	uncached.stop()
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, d.url(), append(related(), desksOfAuthors)...); err != nil {
		return nil, err
	}
	if err := b.copyArticles(ctx, d, []string{"status", "author"}, func(n int) []any { return []any{"published", authorID(n)} }); err != nil {
		return nil, err
	}
	if err := execute(ctx, d.url(), append(statusIndexes, indexes...)...); err != nil {
		return nil, err
	}
	other := *s
	if other.address, err = load.FreeAddress(); err != nil {
		return nil, err
	}
	cached := directusServer(b, &other, d, "Directus", "CACHE_ENABLED=true", "CACHE_STORE=memory", "CACHE_TTL=30m")
	return []*server{uncached, cached}, nil
}

// directusServer adds environment and command to a server from npm.
func directusServer(b *bench, s *server, d database, name string, cache ...string) *server {
	s.name = name
	s.environment = append([]string{
		"NODE_ENV=production", "HOST=127.0.0.1", "PORT=" + s.port(), "PUBLIC_URL=http://" + s.address,
		"DB_CLIENT=pg", "DB_HOST=" + d.host, "DB_PORT=5432", "DB_DATABASE=" + d.name, "DB_USER=postgres", "DB_PASSWORD=none",
		"SECRET=not-secret-but-of-thirty-two-bytes", "KEY=bench", "ADMIN_EMAIL=admin@example.com", "ADMIN_PASSWORD=not-secret", "ADMIN_TOKEN=" + directusToken,
		"RATE_LIMITER_ENABLED=false", "PRESSURE_LIMITER_ENABLED=false", "TELEMETRY=false", "LOG_LEVEL=warn",
	}, cache...)
	s.command = []string{b.node(), "node_modules/directus/cli.js", "start"}
	s.forms = []form{
		{"REST", get(s.address, directusPaths(b.middle()))},
		{"GraphQL", post(s.address, "/graphql", directusQueries(b.middle()))},
	}
	return s
}

// makeDirectusCollections creates the collections and makes them public. Queries filter by
// status, because access rules with a filter need a licence.
func makeDirectusCollections(address string) error {
	type object = map[string]any
	field := func(name, kind string) object {
		return object{"field": name, "type": kind, "schema": object{}, "meta": object{}}
	}
	tags := field("tags", "json")
	tags["meta"] = object{"special": []string{"cast-json"}}
	id := object{"field": "id", "type": "integer", "schema": object{"is_primary_key": true, "has_auto_increment": true}, "meta": object{"hidden": true}}
	link := func(name string) object {
		return object{"field": name, "type": "integer", "schema": object{}, "meta": object{"special": []string{"m2o"}}}
	}
	referrers := func(name string) object {
		return object{"field": name, "type": "alias", "schema": nil, "meta": object{"special": []string{"o2m"}}}
	}
	collection := func(name string, fields ...object) object {
		return object{"collection": name, "schema": object{}, "meta": object{}, "fields": append([]object{id}, fields...)}
	}
	relation := func(from, field, to, back string) object {
		return object{"collection": from, "field": field, "related_collection": to, "schema": object{}, "meta": object{"one_field": back}}
	}
	public := func(collection string) object {
		return object{"policy": directusPublic, "collection": collection, "action": "read", "fields": []string{"*"}, "permissions": object{}}
	}
	for _, call := range []struct {
		path string
		body object
	}{
		{"/collections", collection("desks", field("name", "string"), referrers("authors"))},
		{"/collections", collection("authors", field("name", "string"), link("desk"), referrers("articles"))},
		{"/collections", collection("articles", field("status", "string"), field("title", "string"), field("slug", "string"), field("body", "text"), field("views", "integer"),
			field("rating", "float"), field("published_on", "date"), field("category", "string"), tags, field("featured", "boolean"), link("author"))},
		{"/relations", relation("authors", "desk", "desks", "authors")},
		{"/relations", relation("articles", "author", "authors", "articles")},
		{"/permissions", public("desks")},
		{"/permissions", public("authors")},
		{"/permissions", public("articles")},
	} {
		body, err := json.Marshal(call.body)
		if err != nil {
			return err
		}
		status, response, err := load.Once(load.NewRequest(address, "POST", call.path, directusToken, string(body)))
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("directus: POST %s: %d %s %w", call.path, status, response, err)
		}
	}
	return nil
}

func directusPaths(middle int) map[string]string {
	newest := "/items/articles?limit=20&sort=-published_on&filter[status][_eq]=published"
	return map[string]string{
		"Q1": newest,
		"Q2": "/items/articles?limit=20&sort=-views&filter[status][_eq]=published&filter[category][_eq]=cat07&filter[views][_gt]=50000",
		"Q3": fmt.Sprintf("/items/articles/%d", middle),
		"Q4": newest + "&meta=filter_count",
		"Q5": newest + "&offset=50000",
		"Q6": newest + "&filter[title][_contains]=" + needle,
		"Q7": newest + "&fields=title,slug,category,published_on,views,author.name,author.desk.name",
		"Q8": newest + "&offset=50000", // no cursors
		"Q9": "/items/articles?limit=20&filter[status][_eq]=published&filter[title][_contains]=" + needle +
			"&filter[_or][0][title][_starts_with]=" + prefix + "&filter[_or][1][title][_contains]=%20" + prefix,
		"Q10": "/items/articles?aggregate[count]=*&groupBy[]=category&filter[status][_eq]=published",
		"Q12": "/items/authors?limit=20&sort=-id&fields=id,name,articles.*,count(articles)&deep[articles][_limit]=5&deep[articles][_sort]=-id&deep[articles][_filter][status][_eq]=published",
	}
}

func directusQueries(middle int) map[string]string {
	const fields = "{ id title slug body views rating published_on category tags featured }"
	page := func(arguments, filter, fields string) string {
		return fmt.Sprintf(`articles(limit: 20, %s filter: {status: {_eq: "published"}%s}) %s`, arguments, filter, fields)
	}
	all := func(arguments, filter string) string { return page(arguments+",", filter, fields) }
	const newest = `sort: ["-published_on"]`
	return map[string]string{
		"Q1": "{ " + all(newest, "") + " }",
		"Q2": "{ " + all(`sort: ["-views"]`, `, category: {_eq: "cat07"}, views: {_gt: 50000}`) + " }",
		"Q3": fmt.Sprintf("{ articles_by_id(id: %d) %s }", middle, fields),
		"Q4": "{ " + all(newest, "") + ` articles_aggregated(filter: {status: {_eq: "published"}}) { countAll } }`,
		"Q5": "{ " + all(newest+", offset: 50000", "") + " }",
		"Q6": "{ " + all(newest, `, title: {_contains: "`+article.Needle+`"}`) + " }",
		"Q7": "{ " + page(newest+",", "", "{ title slug category published_on views author { name desk { name } } }") + " }",
		"Q8": "{ " + all(newest+", offset: 50000", "") + " }", // no cursors
		"Q9": "{ " + page("", fmt.Sprintf(`, title: {_contains: %q}, _or: [{title: {_starts_with: %q}}, {title: {_contains: %q}}]`,
			article.Needle, article.Prefix, " "+article.Prefix), fields) + " }",
		"Q10": `{ articles_aggregated(groupBy: ["category"], filter: {status: {_eq: "published"}}) { group countAll } }`,
		"Q12": `{ authors(limit: 20, sort: ["-id"]) { id name articles(limit: 5, sort: ["-id"], filter: {status: {_eq: "published"}}) ` + fields + ` articles_func { count } } }`,
	}
}
