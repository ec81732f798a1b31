// Package reference is the baseline of the benchmarks: net/http, one prepared query with a
// matching index, and the bytes of the documents written unchanged.
package reference

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"imprimatur/test/bench/article"
)

const schema = `
create table ref (id bigint primary key, title text, category text, views int, published_on date, doc jsonb, author int);
create table desk (id int primary key, doc jsonb);
create table author (id int primary key, desk int, doc jsonb);
`

const indexes = `
create extension if not exists pg_trgm;
create index on ref (published_on desc, id desc);
create index on ref (category, views desc);
create index on ref (author, id desc);
create index on ref using gin (title gin_trgm_ops);
create index on ref using gin (to_tsvector('simple', title));
`

var queries = map[string]string{
	"Q1": `select doc::text from ref order by published_on desc, id desc limit 20`,
	"Q2": `select doc::text from ref where category = 'cat07' and views > 50000 order by views desc limit 20`,
	"Q3": `select doc::text from ref where id = 4242`,
	"Q5": `select r.doc::text from (select id, published_on from ref order by published_on desc, id desc offset 50000 limit 20) p
		join ref r using (id) order by p.published_on desc, p.id desc`,
	"Q6":   `select doc::text from ref where title ilike '%` + article.Needle + `%' order by published_on desc, id desc limit 20`,
	"Q7.0": report(`to_jsonb(r.author)`, ""),
	"Q7.1": report(`a.doc || jsonb_build_object('desk', a.desk)`, `join author a on a.id = r.author`),
	"Q7":   report(`a.doc || jsonb_build_object('desk', d.doc)`, `join author a on a.id = r.author join desk d on d.id = a.desk`),
	"Q9":   `select doc::text from ref where to_tsvector('simple', title) @@ to_tsquery('simple', '` + article.Needle + ` & ` + article.Prefix + `:*') order by id desc limit 20`,
	"Q10":  `select jsonb_build_object('value', category, 'count', count(*))::text from ref group by category order by count(*) desc, category limit 200`,
	"Q11": `select (r.doc || jsonb_build_object('_alternates', (select jsonb_agg(jsonb_build_object('id', o.id, 'locale', 'en', 'slug', o.doc->'slug')) from ref o where o.id = r.id)))::text
		from ref r order by r.published_on desc, r.id desc limit 20`,
	"Q12": `select (a.doc || jsonb_build_object('_referrers', (select jsonb_agg(doc) from (select doc from ref where author = a.id order by id desc limit 5) newest),
		'total', (select count(*) from (select 1 from ref where author = a.id limit 1000) counted)))::text from author a order by a.id desc limit 20`,
}

// report returns the newest articles with six fields, of which author is an expression.
func report(author, joins string) string {
	return `select jsonb_build_object('title', r.title, 'slug', r.doc->'slug', 'category', r.category, 'publishedOn', r.published_on, 'views', r.views,
		'author', ` + author + `)::text from ref r ` + joins + ` order by r.published_on desc, r.id desc limit 20`
}

// after50000 returns Q8, a page after the 50,000th article, whose place is in the statement as a cursor's is.
func after50000(ctx context.Context, pool *pgxpool.Pool) (string, error) {
	var day string
	var id int64
	err := pool.QueryRow(ctx, `select published_on::text, id from ref order by published_on desc, id desc offset 49999 limit 1`).Scan(&day, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil // fewer articles: an empty page
	}
	return fmt.Sprintf(`select doc::text from ref where (published_on, id) < ('%s', %d) order by published_on desc, id desc limit 20`, cmp.Or(day, "0001-01-01"), id), err
}

const countQuery = `select count(*) from ref`

// Command is the first argument of a benchmark that starts itself as the reference. The address to
// listen on and the URL of the database follow.
const Command = "reference"

// Main serves the reference until ctx ends.
func Main(ctx context.Context, address, databaseURL string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, databaseURL, listener)
}

// Fill creates the table of the reference with an index for each query, and inserts count
// articles.
func Fill(ctx context.Context, databaseURL string, count int) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the results have been read
	if _, err := conn.Exec(ctx, schema); err != nil {
		return err
	}
	var rows [][]any
	err = article.Each(count, func(a article.Article) error {
		doc, err := json.Marshal(a)
		if err != nil {
			return err
		}
		day, err := time.Parse(time.DateOnly, a.PublishedOn)
		rows = append(rows, []any{int64(len(rows) + 1), a.Title, a.Category, a.Views, day, doc, (len(rows) + 1) % article.Authors})
		return err
	})
	if err != nil {
		return err
	}
	columns := []string{"id", "title", "category", "views", "published_on", "doc", "author"}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"ref"}, columns, pgx.CopyFromRows(rows)); err != nil {
		return err
	}
	for n := range article.Desks {
		if _, err := conn.Exec(ctx, `insert into desk values ($1, jsonb_build_object('name', $2::text))`, n, article.Desk(n)); err != nil {
			return err
		}
	}
	for n := range article.Authors {
		if _, err := conn.Exec(ctx, `insert into author values ($1, $2, jsonb_build_object('name', $3::text))`, n, n%article.Desks, article.Author(n)); err != nil {
			return err
		}
	}
	if _, err = conn.Exec(ctx, indexes); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "vacuum (analyze) ref") // not allowed in a transaction
	return err
}

// Serve serves each query of package article under its name until the listener closes, and under /memory/ and its name the same bytes from memory.
func Serve(ctx context.Context, databaseURL string, listener net.Listener) error {
	settings, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return err
	}
	settings.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return err
	}
	defer pool.Close()
	mux := http.NewServeMux()
	for _, q := range slices.Concat(article.Queries, article.Hops, article.Related, article.Whole) {
		query, count := queries[q.Name], ""
		switch q.Name {
		case "Q4":
			query, count = queries["Q1"], countQuery
		case "Q8":
			if query, err = after50000(ctx, pool); err != nil {
				return err
			}
		}
		read := func(ctx context.Context) ([]byte, error) { return documents(ctx, pool, query, count) }
		mux.HandleFunc("GET /"+q.Name, respond(read))
		cached := sync.OnceValues(func() ([]byte, error) { return read(ctx) })
		mux.HandleFunc("GET /memory/"+q.Name, respond(func(context.Context) ([]byte, error) { return cached() }))
	}
	return http.Serve(listener, mux) //nolint:gosec // a bench on loopback needs no timeouts
}

func respond(read func(context.Context) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := read(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the loader detects failures
	}
}

// documents returns the documents of query as a JSON list, followed by the result of count.
func documents(ctx context.Context, pool *pgxpool.Pool, query, count string) ([]byte, error) {
	body := append(make([]byte, 0, 32<<10), '[')
	rows, err := pool.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(body, rows.RawValues()[0]...)
	}
	if rows.Err() != nil {
		return nil, rows.Err()
	}
	body = append(body, ']')
	if count != "" {
		var total int64
		if err := pool.QueryRow(ctx, count).Scan(&total); err != nil {
			return nil, err
		}
		body = strconv.AppendInt(body, total, 10)
	}
	return body, nil
}
