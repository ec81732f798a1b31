package peers

import (
	"context"
	"fmt"

	"imprimatur/test/bench/article"
)

const postGraphileTable = `
create table articles (
	id int primary key generated always as identity,
	status text not null default 'published',
	title text not null, slug text not null, body text, views int, rating float8,
	published_on date, category text, tags jsonb, featured boolean
)`

// preparePostGraphile fills a table, from which PostGraphile generates an API.
func preparePostGraphile(ctx context.Context, b *bench) ([]*server, error) {
	s, d, err := b.prepareNPM(ctx, "postgraphile")
	if err != nil {
		return nil, err
	}
	say("postgraphile: importing the articles")
	if err := execute(ctx, d.url(), postGraphileTable); err != nil {
		return nil, err
	}
	if err := b.copyArticles(ctx, d, nil, func(int) []any { return nil }); err != nil {
		return nil, err
	}
	if err := execute(ctx, d.url(), append(statusIndexes, indexes...)...); err != nil {
		return nil, err
	}
	s.name = "PostGraphile"
	s.environment = []string{"NODE_ENV=production", "GRAPHILE_ENV=production", "PORT=" + s.port(), "DATABASE_URL=" + d.url()}
	s.command = []string{b.node(), "node_modules/postgraphile/dist/cli-run.js"}
	s.forms = []form{{"GraphQL", post(s.address, "/graphql", postGraphileQueries(b.middle()))}}
	s.version, err = versionOf(s.dir, "postgraphile")
	return []*server{s}, err
}

func postGraphileQueries(middle int) map[string]string {
	const fields = "{ rowId title slug body views rating publishedOn category tags featured }"
	all := func(arguments, filter, more string) string {
		return fmt.Sprintf(`{ allArticles(first: 20, condition: {status: "published"}, %s%s) { %s nodes %s } }`, arguments, filter, more, fields)
	}
	const newest = "orderBy: [PUBLISHED_ON_DESC]"
	return map[string]string{
		"Q1": all(newest, "", ""),
		"Q2": all("orderBy: [VIEWS_DESC]", `, filter: {category: {equalTo: "cat07"}, views: {greaterThan: 50000}}`, ""),
		"Q3": fmt.Sprintf("{ articleByRowId(rowId: %d) %s }", middle, fields),
		"Q4": all(newest, "", "totalCount"),
		"Q5": all(newest+", offset: 50000", "", ""),
		"Q6": all(newest, `, filter: {title: {includes: "`+article.Needle+`"}}`, ""),
	}
}
