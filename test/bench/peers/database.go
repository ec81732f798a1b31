package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/test/bench/article"
)

// database is a database on the shared Postgres server.
type database struct {
	host string // directory of the server's socket
	name string
}

func (d database) url() string {
	return "postgres://postgres@/" + d.name + "?" + url.Values{"host": {d.host}, "sslmode": {"disable"}}.Encode()
}

// database creates an empty database with the collation C.UTF-8, which is byte order.
func (b *bench) database(ctx context.Context, name string) (database, error) {
	server, err := url.Parse(b.postgres)
	if err != nil {
		return database{}, err
	}
	d := database{host: server.Query().Get("host"), name: name}
	return d, execute(ctx, b.postgres, "create database "+name+" template template0 locale_provider libc locale 'C.UTF-8'")
}

func execute(ctx context.Context, url string, statements ...string) error {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx) //nolint:errcheck // the results have been read
	for _, statement := range statements {
		if _, err := connection.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// columns are the column names of all peers.
var columns = []string{"title", "slug", "body", "views", "rating", "published_on", "category", "tags", "featured"}

// copyArticles copies all articles into a table, with additional columns. values returns
// their values for article n, counted from 1.
func (b *bench) copyArticles(ctx context.Context, d database, more []string, values func(n int) []any) error {
	connection, err := pgx.Connect(ctx, d.url())
	if err != nil {
		return err
	}
	defer connection.Close(ctx) //nolint:errcheck // the results have been read
	_, err = connection.CopyFrom(ctx, pgx.Identifier{"articles"}, append(append([]string{}, columns...), more...),
		pgx.CopyFromSlice(len(b.all), func(i int) ([]any, error) {
			a := b.all[i]
			day, err := time.Parse(time.DateOnly, a.PublishedOn)
			if err != nil {
				return nil, err
			}
			tags, err := json.Marshal(a.Tags)
			row := []any{a.Title, a.Slug, a.Body, a.Views, a.Rating, day, a.Category, tags, a.Featured}
			return append(row, values(i+1)...), err
		}))
	return err
}

// authorID returns the id of the author of article n, counted from 1.
func authorID(n int) int { return n%article.Authors + 1 }

// related returns statements that fill the tables of desks and authors. Their ids begin at 1.
func related() []string {
	insert := func(table string, count int, name func(int) string) string {
		rows := make([]string, count)
		for n := range rows {
			rows[n] = fmt.Sprintf("(%d, '%s')", n+1, name(n))
		}
		return "insert into " + table + " (id, name) values " + strings.Join(rows, ", ")
	}
	return []string{insert("desks", article.Desks, article.Desk), insert("authors", article.Authors, article.Author)}
}

// desksOfAuthors sets the desk of each author.
var desksOfAuthors = fmt.Sprintf("update authors set desk = (id - 1) %% %d + 1", article.Desks)

// indexes has an index for each of the queries, like the reference.
var indexes = []string{
	"create index on articles (published_on desc, id desc)",
	"create index on articles (category, views desc)",
	"create extension if not exists pg_trgm",
	"create index on articles using gin (title gin_trgm_ops)",
	"vacuum analyze articles",
}

// statusIndexes are for a table with one row per article and a status column.
var statusIndexes = []string{
	"create unique index on articles (slug)",
	"create index on articles (status, published_on desc, id desc)",
}
