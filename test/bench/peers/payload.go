package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"imprimatur/test/bench/article"
)

// payloadLinks sets the desk of each author.
var payloadLinks = fmt.Sprintf("update authors set desk_id = (id - 1) %% %d + 1", article.Desks)

// payloadBound is the first text in byte order after those that begin with article.Prefix. Payload has
// no operator for the beginning of a text.
const payloadBound = "bb"

// preparePayload creates the tables with the migration that Payload generates from its configuration.
func preparePayload(ctx context.Context, b *bench) ([]*server, error) {
	const payload, next = "node_modules/payload/bin.js", "node_modules/next/dist/bin/next"
	environment := []string{"NODE_ENV=production", "NEXT_TELEMETRY_DISABLED=1", "PAYLOAD_CONFIG_PATH=payload.config.js"}
	during := func(arguments ...string) []string {
		return slices.Concat([]string{"env"}, environment, []string{b.node()}, arguments)
	}
	s, d, err := b.prepareNPM(ctx, "payload", during(payload, "migrate:create", "articles"), during(next, "build"), []string{"rm", "-r", ".next/cache"})
	if err != nil {
		return nil, err
	}
	if s.version, err = versionOf(s.dir, "payload"); err != nil {
		return nil, err
	}
	s.name = "Payload"
	s.environment = slices.Concat(environment, []string{"DATABASE_URL=" + d.url()})
	s.command = []string{b.node(), next, "start", "-H", "127.0.0.1", "-p", s.port()}
	s.forms = []form{
		{"REST", get(s.address, payloadPaths(b.middle()))},
		{"GraphQL", post(s.address, "/api/graphql", payloadQueries(b.middle()))},
	}
	say("payload: creating tables, importing the articles")
	migrate := exec.CommandContext(ctx, b.node(), payload, "migrate")
	migrate.Env = append(os.Environ(), s.environment...)
	if _, err := outputOf(migrate, s.dir); err != nil {
		return nil, err
	}
	return []*server{s}, b.fillPayload(ctx, d)
}

func (b *bench) fillPayload(ctx context.Context, d database) error {
	if err := execute(ctx, d.url(), append(related(), payloadLinks)...); err != nil {
		return err
	}
	if err := b.copyArticles(ctx, d, []string{"author_id"}, func(n int) []any { return []any{authorID(n)} }); err != nil {
		return err
	}
	return execute(ctx, d.url(), append([]string{"create unique index on articles (slug)"}, indexes...)...)
}

// payloadPaths returns the queries by REST. With pagination=false Payload does not count the articles.
func payloadPaths(middle int) map[string]string {
	const page = "/api/articles?limit=20&depth=0"
	const newest = page + "&sort=-publishedOn"
	const uncounted = "&pagination=false"
	return map[string]string{
		"Q1": newest + uncounted,
		"Q2": page + "&sort=-views&where[category][equals]=cat07&where[views][greater_than]=50000" + uncounted,
		"Q3": fmt.Sprintf("/api/articles/%d?depth=0", middle),
		"Q4": newest,
		"Q5": newest + uncounted + "&page=2501",
		"Q6": newest + uncounted + "&where[title][contains]=" + needle,
		"Q7": "/api/articles?limit=20&depth=2&sort=-publishedOn" + uncounted +
			"&select[title]=true&select[slug]=true&select[category]=true&select[publishedOn]=true&select[views]=true&select[author]=true" +
			"&populate[authors][name]=true&populate[authors][desk]=true&populate[desks][name]=true",
		"Q8": newest + uncounted + "&page=2501", // no cursors
		"Q9": page + uncounted + "&where[title][contains]=" + needle + "&where[or][0][title][contains]=%20" + prefix +
			"&where[or][1][title][greater_than_equal]=" + prefix + "&where[or][1][title][less_than]=" + payloadBound,
		"Q12": "/api/authors?limit=20&depth=1&sort=-id" + uncounted + "&joins[articles][limit]=5&joins[articles][sort]=-id&joins[articles][count]=true",
	}
}

// payloadQueries leaves out Q9, because in GraphQL texts cannot be compared with payloadBound.
func payloadQueries(middle int) map[string]string {
	const fields = "{ id title slug body views rating publishedOn category tags featured }"
	page := func(arguments, where, fields string) string {
		return fmt.Sprintf(`{ Articles(limit: 20, select: true, %s, where: {%s}) { %s } }`, arguments, where, fields)
	}
	all := func(arguments, where string) string {
		return page("pagination: false, "+arguments, where, "docs "+fields)
	}
	const newest = `sort: "-publishedOn"`
	return map[string]string{
		"Q1":  all(newest, ""),
		"Q2":  all(`sort: "-views"`, `category: {equals: "cat07"}, views: {greater_than: 50000}`),
		"Q3":  fmt.Sprintf("{ Article(id: %d, select: true) %s }", middle, fields),
		"Q4":  page(newest, "", "totalDocs docs "+fields),
		"Q5":  all(newest+", page: 2501", ""),
		"Q6":  all(newest, `title: {contains: "`+article.Needle+`"}`),
		"Q7":  page("pagination: false, "+newest, "", "docs { title slug category publishedOn views author { name desk { name } } }"),
		"Q8":  all(newest+", page: 2501", ""), // no cursors
		"Q12": `{ Authors(limit: 20, sort: "-id", pagination: false, select: true) { docs { id name articles(limit: 5, sort: "-id", count: true) { docs ` + fields + ` totalDocs } } } }`,
	}
}
