// Package capacity measures how many bytes a database takes for each entry, version, event, delivery and file
// row, on SQLite and Postgres.
package capacity

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/media"
	"imprimatur/core/transfer"
	"imprimatur/core/webhook"
	"imprimatur/ports"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

type options struct {
	entries, changed, files int
	engines                 string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.entries, "entries", 100_000, "how many articles of about 700 bytes to import and publish")
	flags.IntVar(&o.changed, "changed", 10_000, "how many of them to change and publish again, with a webhook that is told")
	flags.IntVar(&o.files, "files", 1000, "how many files to upload")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "databases to measure")
	return func(ctx context.Context) error { return run(ctx, os.Stdout, o) }
}

func run(ctx context.Context, w io.Writer, o options) error {
	for engine := range strings.SplitSeq(o.engines, ",") {
		if err := measure(ctx, w, o, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

func measure(ctx context.Context, w io.Writer, o options, engine string) error {
	folder, err := os.MkdirTemp("", "imprimatur-capacity-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // temporary
	url := "sqlite:" + filepath.Join(folder, "imprimatur.db")
	if engine == "postgres" {
		if url, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	filled, err := site.Fill(ctx, url, o.entries)
	if err != nil {
		return err
	}
	if err := work(ctx, url, "file:"+filepath.Join(folder, "blobs"), filled.UUID, o); err != nil {
		return err
	}
	return report(ctx, w, url, engine)
}

// work changes articles, which makes revisions, publications, events and deliveries, and uploads files.
func work(ctx context.Context, url, blobs, uuid string, o options) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL, cfg.LogLevel = url, blobs, "error"
	var stores ports.Stores
	var importer *transfer.Importer
	var distributor *delivery.Distributor
	var library *media.Library
	var db *sqlstore.DB
	stop, err := service.Use(ctx, cfg, &stores, &importer, &distributor, &library, &db)
	if err != nil {
		return err
	}
	defer stop()
	project, err := stores.Projects.ProjectByUUID(ctx, uuid)
	if err != nil {
		return err
	}
	if err := db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		now, err := stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		w := webhook.Webhook{ProjectID: project.ID, Name: "Site", URL: "https://site.example/hook", Imports: true, Active: true, Events: []string{"entry.published"}, Secrets: []byte("unused"), CreatedAt: now, UpdatedAt: now}
		return stores.Webhooks.Insert(ctx, &w)
	}); err != nil {
		return err
	}
	articles, err := stores.Collections.Collections(ctx, project.ID)
	if err != nil {
		return err
	}
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(writeChanged(writer, o.changed)) }()
	changed, err := importer.Import(ctx, core.SystemActor, project, articles[0].ID, lines, transfer.ImportOptions{KeyField: "slug"})
	if err == nil && len(changed.Failed) > 0 {
		err = changed.Failed[0].Err
	}
	for more := true; more && err == nil; {
		more, err = distributor.Distribute(ctx)
	}
	if err == nil {
		err = deliver(ctx, stores.Deliveries)
	}
	for n := 0; n < o.files && err == nil; n++ {
		err = upload(ctx, library, project, n)
	}
	if err != nil {
		return err
	}
	return db.Vacuum(ctx)
}

// deliver records an attempt for each delivery, as if receivers had answered.
func deliver(ctx context.Context, deliveries ports.DeliveryStore) error {
	const some = 500
	for {
		claimed, err := deliveries.Claim(ctx, some, time.Minute, func(int64) int { return some })
		if err != nil || len(claimed) == 0 {
			return err
		}
		for _, d := range claimed {
			d.Status = webhook.DeliveryDelivered
			attempt := webhook.DeliveryAttempt{DeliveryID: d.ID, Number: d.Attempts, At: d.CreatedAt, Code: 200, Answer: "ok"}
			if err := deliveries.Record(ctx, d, attempt, 0); err != nil {
				return err
			}
		}
	}
}

// writeChanged writes the first articles with other titles in the importer's format.
func writeChanged(w io.Writer, count int) error {
	encoder := json.NewEncoder(w)
	return article.Each(count, func(a article.Article) error {
		a.Title += " again"
		return encoder.Encode(map[string]any{"published": true, "fields": a})
	})
}

func upload(ctx context.Context, library *media.Library, project *core.Project, n int) error {
	received, err := library.Receive(ctx, project, fmt.Sprintf("note-%06d.txt", n), strings.NewReader(fmt.Sprint("a note with number ", n)))
	if err != nil {
		return err
	}
	defer received.Discard(ctx)
	caption := fmt.Sprint("The note with number ", n)
	_, err = library.Keep(ctx, core.SystemActor, project, received, media.Change{Caption: &caption})
	return err
}

// things are what an installation has many of, with the tables of each. The first table has a row for each.
var things = []struct {
	name   string
	tables []string
}{
	{"entry, published, of about 700 bytes", []string{"entries", "entry_index", "entry_values", "entry_texts", "entry_words", "entry_claims", "entry_counters", "entry_buckets", "past_groups", "translation_origins"}},
	{"revision", []string{"revisions"}},
	{"publication", []string{"publications", "publication_media"}},
	{"event", []string{"events", "event_log"}},
	{"delivery of a webhook with one attempt", []string{"deliveries", "delivery_attempts"}},
	{"file, without its bytes", []string{"media", "media_blobs", "media_renditions"}},
}

// report prints the bytes of each of things.
func report(ctx context.Context, w io.Writer, url, engine string) error {
	db, err := sql.Open(map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[engine], strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		return err
	}
	defer db.Close()
	bytes, err := sizes(ctx, db, engine)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\trows\tMB\tbytes each\t\n", engine)
	for _, thing := range things {
		var rows, total int64
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM "+thing.tables[0]).Scan(&rows); err != nil {
			return err
		}
		for _, name := range thing.tables {
			total += bytes[name]
			delete(bytes, name)
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%d\t\n", thing.name, rows, float64(total)/1e6, total/max(rows, 1))
	}
	var rest int64
	for _, n := range bytes {
		rest += n
	}
	fmt.Fprintf(table, "everything else\t\t%.1f\t\t\n", float64(rest)/1e6)
	return table.Flush()
}

// sizes returns the bytes of each table with its indexes.
func sizes(ctx context.Context, db *sql.DB, engine string) (map[string]int64, error) {
	query := "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
	if engine == "sqlite" {
		query = "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1"
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]int64{}
	shadows := []string{"entry_texts_search", "entry_words_search"} // the tables of a full-text table begin with its name
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(shadows, func(s string) bool { return strings.HasPrefix(name, s) }); i >= 0 {
			name = strings.TrimSuffix(shadows[i], "_search")
		}
		found[name] += n
	}
	return found, rows.Err()
}
