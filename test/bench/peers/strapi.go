package peers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// strapiLinks fills the tables of links. Authors and desks have no drafts.
var strapiLinks = []string{
	"update desks set document_id = 'desk' || lpad(id::text, 20, '0'), created_at = now(), updated_at = now(), published_at = now()",
	"update authors set document_id = 'author' || lpad(id::text, 18, '0'), created_at = now(), updated_at = now(), published_at = now()",
	fmt.Sprintf("insert into authors_desk_lnk (author_id, desk_id) select id, (id - 1) %% %d + 1 from authors", article.Desks),
	fmt.Sprintf("insert into articles_author_lnk (article_id, author_id) select id, right(slug, 6)::int %% %d + 1 from articles", article.Authors),
	"vacuum analyze",
}

// prepareStrapi lets Strapi create its tables, and fills them like Strapi: with a draft and
// a published row of each article.
func prepareStrapi(ctx context.Context, b *bench) ([]*server, error) {
	const program = "node_modules/@strapi/strapi/bin/strapi.js"
	s, d, err := b.prepareNPM(ctx, "strapi", []string{b.node(), program, "build"})
	if err != nil {
		return nil, err
	}
	if s.version, err = versionOf(s.dir, "@strapi/strapi"); err != nil {
		return nil, err
	}
	s.name = "Strapi"
	s.environment = []string{"NODE_ENV=production", "PORT=" + s.port(), "DATABASE_HOST=" + d.host, "DATABASE_NAME=" + d.name, "STRAPI_TELEMETRY_DISABLED=true"}
	s.command = []string{b.node(), program, "start"}
	s.forms = []form{
		{"REST", get(s.address, strapiPaths(b.middle()))},
		{"GraphQL", post(s.address, "/graphql", strapiQueries(b.middle()))},
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "public/uploads"), 0o755); err != nil {
		return nil, err
	}
	say("strapi: creating tables, importing the articles")
	_, err = s.start(ctx, load.NewRequest(s.address, "GET", "/api/articles", "", ""))
	s.stop()
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	for _, publishedAt := range []any{nil, now} {
		err := b.copyArticles(ctx, d, []string{"document_id", "created_at", "updated_at", "published_at"}, func(n int) []any {
			return []any{strapiID(n), now, now, publishedAt}
		})
		if err != nil {
			return nil, err
		}
	}
	statements := slices.Concat([]string{"create index on articles (slug)"}, indexes, related(), strapiLinks)
	return []*server{s}, execute(ctx, d.url(), statements...)
}

// strapiID returns the common id of both rows of article n.
func strapiID(n int) string { return fmt.Sprintf("article%017d", n) }

func strapiPaths(middle int) map[string]string {
	const newest = "/api/articles?pagination[limit]=20&sort=published_on:desc"
	const uncounted = "&pagination[withCount]=false"
	return map[string]string{
		"Q1": newest + uncounted,
		"Q2": "/api/articles?pagination[limit]=20&sort=views:desc&filters[category][$eq]=cat07&filters[views][$gt]=50000" + uncounted,
		"Q3": "/api/articles/" + strapiID(middle),
		"Q4": newest,
		"Q5": newest + uncounted + "&pagination[start]=50000",
		"Q6": newest + uncounted + "&filters[title][$contains]=" + needle,
		"Q7": newest + uncounted + "&fields[0]=title&fields[1]=slug&fields[2]=category&fields[3]=published_on&fields[4]=views" +
			"&populate[author][fields][0]=name&populate[author][populate][desk][fields][0]=name",
		"Q8": newest + uncounted + "&pagination[start]=50000", // no cursors
		"Q9": "/api/articles?pagination[limit]=20" + uncounted + "&filters[title][$contains]=" + needle +
			"&filters[$or][0][title][$startsWith]=" + prefix + "&filters[$or][1][title][$contains]=%20" + prefix,
	}
}

func strapiQueries(middle int) map[string]string {
	const fields = "{ documentId title slug body views rating published_on category tags featured }"
	page := func(sort, filters string, start int, fields string) string {
		return fmt.Sprintf(`articles(pagination: {limit: 20, start: %d}, sort: [%q], filters: {%s}) %s`, start, sort, filters, fields)
	}
	all := func(sort, filters string, start int) string { return page(sort, filters, start, fields) }
	const newest = "published_on:desc"
	return map[string]string{
		"Q1": "{ " + all(newest, "", 0) + " }",
		"Q2": "{ " + all("views:desc", `category: {eq: "cat07"}, views: {gt: 50000}`, 0) + " }",
		"Q3": fmt.Sprintf(`{ article(documentId: %q) %s }`, strapiID(middle), fields),
		"Q4": fmt.Sprintf(`{ articles_connection(pagination: {limit: 20, start: 0}, sort: [%q]) { nodes %s pageInfo { total } } }`, newest, fields),
		"Q5": "{ " + all(newest, "", 50_000) + " }",
		"Q6": "{ " + all(newest, `title: {contains: "`+article.Needle+`"}`, 0) + " }",
		"Q7": "{ " + page(newest, "", 0, "{ title slug category published_on views author { name desk { name } } }") + " }",
		"Q8": "{ " + all(newest, "", 50_000) + " }", // no cursors
		"Q9": "{ " + all("id:asc", fmt.Sprintf(`title: {contains: %q}, or: [{title: {startsWith: %q}}, {title: {contains: %q}}]`,
			article.Needle, article.Prefix, " "+article.Prefix), 0) + " }",
	}
}
