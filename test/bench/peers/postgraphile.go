package peers

import (
	"context"
	"encoding/json"
	"fmt"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

const postGraphileTables = `
create table desks (id int primary key, name text not null);
create table authors (id int primary key, name text not null, desk int references desks);
create table articles (
	id int primary key generated always as identity,
	status text not null default 'published',
	title text not null, slug text not null, body text, views int, rating float8,
	published_on date, category text, tags jsonb, featured boolean,
	author int references authors
)`

// preparePostGraphile fills tables, from which PostGraphile generates an API.
func preparePostGraphile(ctx context.Context, b *bench) ([]*server, error) {
	s, d, err := b.prepareNPM(ctx, "postgraphile")
	if err != nil {
		return nil, err
	}
	say("postgraphile: importing the articles")
	if err := execute(ctx, d.url(), append(append([]string{postGraphileTables}, related()...), desksOfAuthors)...); err != nil {
		return nil, err
	}
	if err := b.copyArticles(ctx, d, []string{"author"}, func(n int) []any { return []any{authorID(n)} }); err != nil {
		return nil, err
	}
	if err := execute(ctx, d.url(), append(statusIndexes, indexes...)...); err != nil {
		return nil, err
	}
	s.name = "PostGraphile"
	s.environment = []string{"NODE_ENV=production", "GRAPHILE_ENV=production", "PORT=" + s.port(), "DATABASE_URL=" + d.url()}
	s.command = []string{b.node(), "node_modules/postgraphile/dist/cli-run.js"}
	after, err := postGraphileCursor(ctx, s)
	if err != nil {
		return nil, err
	}
	s.forms = []form{{"GraphQL", post(s.address, "/graphql", postGraphileQueries(b.middle(), after))}}
	s.version, err = versionOf(s.dir, "postgraphile")
	return []*server{s}, err
}

// postGraphileCursor starts the server and returns the cursor of the 50,000th article; empty: there are fewer.
func postGraphileCursor(ctx context.Context, s *server) (string, error) {
	request := post(s.address, "/graphql", map[string]string{
		"cursor": `{ allArticles(first: 1, offset: 49999, condition: {status: "published"}, orderBy: [PUBLISHED_ON_DESC]) { pageInfo { endCursor } } }`,
	})["cursor"]
	if _, err := s.start(ctx, request); err != nil {
		return "", err
	}
	defer s.stop()
	_, body, err := load.Once(request)
	if err != nil {
		return "", err
	}
	var response struct {
		Data struct {
			AllArticles struct{ PageInfo struct{ EndCursor string } }
		}
	}
	err = json.Unmarshal(body, &response)
	return response.Data.AllArticles.PageInfo.EndCursor, err
}

// postGraphileQueries leaves out Q8 without a cursor.
func postGraphileQueries(middle int, after string) map[string]string {
	const fields = "{ rowId title slug body views rating publishedOn category tags featured }"
	page := func(arguments, fields string) string {
		return fmt.Sprintf(`{ allArticles(first: 20, condition: {status: "published"}, %s) { %s } }`, arguments, fields)
	}
	all := func(arguments, filter, more string) string { return page(arguments+filter, more+" nodes "+fields) }
	const newest = "orderBy: [PUBLISHED_ON_DESC]"
	queries := map[string]string{
		"Q1": all(newest, "", ""),
		"Q2": all("orderBy: [VIEWS_DESC]", `, filter: {category: {equalTo: "cat07"}, views: {greaterThan: 50000}}`, ""),
		"Q3": fmt.Sprintf("{ articleByRowId(rowId: %d) %s }", middle, fields),
		"Q4": all(newest, "", "totalCount"),
		"Q5": all(newest+", offset: 50000", "", ""),
		"Q6": all(newest, `, filter: {title: {includes: "`+article.Needle+`"}}`, ""),
		"Q7": page(newest, "nodes { title slug category publishedOn views authorByAuthor { name deskByDesk { name } } }"),
		"Q9": page(fmt.Sprintf(`filter: {title: {includes: %q}, or: [{title: {startsWith: %q}}, {title: {includes: %q}}]}`,
			article.Needle, article.Prefix, " "+article.Prefix), "nodes "+fields),
	}
	if after != "" {
		queries["Q8"] = all(newest, fmt.Sprintf(", after: %q", after), "")
	}
	return queries
}
