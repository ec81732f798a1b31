package partitions

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// library holds projects with equal articles.
type library struct {
	schemas []core.Schema // of each project
	step    int64         // difference between the ids of an article in successive projects
	middle  int64         // id of an article of the first project
}

// schema returns the schema of project n modulo their number, and the id of an article.
func (l library) schema(n int) (schema core.Schema, entry int64) {
	place := n % len(l.schemas)
	return l.schemas[place], l.middle + int64(place)*l.step
}

// fill imports the articles of one project, and copies its table rows for the other projects.
func fill(ctx context.Context, o options) (library, error) {
	started := time.Now()
	imported, err := site.Fill(ctx, o.postgres, o.articles)
	if err != nil {
		return library{}, err
	}
	l := library{step: 1 << 24, middle: imported.Middle}
	if err := execute(ctx, o.postgres, fmt.Sprintf(copyProjects, o.projects-1, l.step)); err != nil {
		return library{}, err
	}
	copied := fmt.Sprintf("project_id <> (SELECT id FROM projects WHERE uuid = '%s')", imported.UUID)
	for _, statement := range sqlstore.Recounts(copied) {
		if err := execute(ctx, o.postgres, statement); err != nil {
			return library{}, err
		}
	}
	db, err := postgres.Open(ctx, o.postgres, postgres.Options{})
	if err != nil {
		return library{}, err
	}
	defer db.Close() //nolint:errcheck // only reads
	project, err := db.Stores().Projects.ProjectByUUID(ctx, imported.UUID)
	if err != nil {
		return library{}, err
	}
	collections, err := db.Stores().Collections.Collections(ctx, project.ID)
	if err != nil {
		return library{}, err
	}
	for n := range int64(o.projects) {
		p, c := *project, *collections[0]
		p.ID, c.ID, c.ProjectID = p.ID+n, c.ID+n, p.ID+n
		l.schemas = append(l.schemas, core.Schema{Project: &p, Collection: &c, Collections: []*core.Collection{&c}})
	}
	fmt.Fprintf(os.Stderr, "%d articles in %d Projects after %.0f s\n", o.articles*o.projects, o.projects, time.Since(started).Seconds())
	return l, nil
}

// copyProjects takes the number of copies and the difference between their ids.
const copyProjects = `DO $$
DECLARE name text; list text;
BEGIN
	FOREACH name IN ARRAY ARRAY['entries', 'entry_index', 'entry_values', 'entry_texts', 'entry_claims'] LOOP
		SELECT string_agg(attname || CASE
			WHEN attname IN ('project_id', 'collection_id') THEN ' + k'
			WHEN attname = 'scope' THEN ' + k * 256'
			WHEN attname IN ('entry_id', 'group_id') OR attname = 'id' AND name = 'entries' THEN ' + k * %[2]d'
			ELSE '' END, ', ' ORDER BY attnum) INTO list
		FROM pg_attribute WHERE attrelid = name::regclass AND attnum > 0 AND NOT attisdropped;
		EXECUTE format('INSERT INTO %%I SELECT %%s FROM %%I, generate_series(1, %[1]d) AS k ORDER BY k', name, list, name);
	END LOOP;
END $$`

// prepare copies the filled database and divides its tables into n partitions.
func prepare(ctx context.Context, o options, n int) (*subject, error) {
	at, err := url.Parse(o.postgres)
	if err != nil {
		return nil, err
	}
	from := at.Path[1:]
	to := fmt.Sprintf("%s_%d", from, n)
	server, copied := *at, *at
	server.Path, copied.Path = "/template1", "/"+to
	if err := execute(ctx, server.String(), "CREATE DATABASE "+to+" TEMPLATE "+from); err != nil {
		return nil, err
	}
	s := &subject{partitions: n, url: copied.String(), cpu: map[string]float64{}, wall: map[string][]float64{}}
	started := time.Now()
	if err := postgrestest.Partition(ctx, s.url, n); err != nil {
		return nil, err
	}
	s.converted = time.Since(started)
	if err := execute(ctx, s.url, "VACUUM ANALYZE"); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d partitions: made in %.1f s\n", n, s.converted.Seconds())
	s.one, err = postgres.Open(ctx, s.url, postgres.Options{Conns: 1})
	return s, err
}

func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement is done
	_, err = conn.Exec(ctx, statement)
	return err
}
