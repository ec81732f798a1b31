package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
	"imprimatur/test/postgrestest"
)

// resumed restores an archive and ends the pause.
func (p place) resumed(t *testing.T, archive string) {
	t.Helper()
	p.restore(t, archive)
	run(t, "resume", "--due", "skip", "--deliveries", "park", "--tokens", "keep", "--database-url", p.database)
}

// copied returns a copy of a place by other tools, of a database that no program has open, and a function that
// puts it where the service finds it.
func (p place) copied(t *testing.T, engine string) (putBack func() place) {
	t.Helper()
	if engine == "postgres" {
		copied := postgrestest.Copy(t, p.database)
		return func() place {
			// A dump has the numbers of the transactions of its server, which this one gives later.
			execute(t, copied, "UPDATE events SET xact = xact + 100000")
			return place{database: copied, blobs: p.blobs, key: p.key}
		}
	}
	path := strings.TrimPrefix(p.database, "sqlite:")
	copied := map[string][]byte{}
	for _, name := range []string{path, path + "-wal"} { // a stopped process leaves no log, a killed one does
		content, err := os.ReadFile(name)
		if !errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, err)
			copied[name] = content
		}
	}
	return func() place {
		for _, suffix := range []string{"-wal", "-shm"} {
			require.NoError(t, os.RemoveAll(path+suffix))
		}
		for name, content := range copied {
			require.NoError(t, os.WriteFile(name, content, 0o600))
		}
		return p
	}
}

// execute runs statements on a database of Postgres.
func execute(t *testing.T, database, statements string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // also in cleanups
	conn, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, statements)
	require.NoError(t, err)
}

// blog is the Project in which the tests write.
type blog struct {
	posts, changes, token string
}

func blogOf(facts demo.Facts) blog {
	return blog{
		posts:   fmt.Sprintf("/api/projects/%d/collections/%d/content", facts.Projects.Blog.ID, facts.Collections.Posts),
		changes: "/public/v2/projects/" + facts.Projects.Blog.UUID + "/changes",
		token:   facts.Tokens.Blog.ReadOnly,
	}
}

// since returns the status of the changes since a cursor.
func (b blog) since(t *testing.T, s server, cursor string) int {
	t.Helper()
	return s.call(t, "GET", b.changes+"?since="+cursor, "", "Authorization", "Bearer "+b.token).status
}

// TestNoticedRestore puts an earlier copy of the database back. The next start begins another epoch and pauses,
// once.
func TestNoticedRestore(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	archive := source.backup(t)
	b := blogOf(facts)
	for _, engine := range []string{"sqlite", "postgres"} {
		p := newPlace(t, engine, source.key)
		p.resumed(t, archive)
		s := p.serve(t)
		admin := s.signIn(t, facts, "tenantAdmin")
		post := fmt.Sprint(b.posts, "/", idOf(t, s.call(t, "POST", b.posts, `{"fields":{"title":"Before"},"published":true}`, admin...)))
		before := s.lastCursor(t, b.changes, b.token)
		s.Stop(t)
		putBack := p.copied(t, engine)

		s = p.serve(t)
		require.Equal(t, "ok\n", s.ready(t).body, "a start without a restore")
		admin[3] = s.base // the origin
		written := s.call(t, "PATCH", post, `{"fields":{"title":"Lost"},"published":true}`, admin...)
		require.Equal(t, 200, written.status, written.body)
		lost, tag := s.lastCursor(t, b.changes, b.token), written.header.Get("Etag")
		require.Equal(t, 200, b.since(t, s, before))
		s.Stop(t)

		p = putBack()
		s = p.serve(t)
		require.Equal(t, "ok\npaused\n", s.ready(t).body)
		require.Contains(t, s.Output(), "other tools restored the database")
		admin[3] = s.base
		require.Equal(t, 401, s.call(t, "GET", "/api/me/notices", "", admin...).status, "the session has not ended")
		require.Equal(t, []int{410, 410}, []int{b.since(t, s, before), b.since(t, s, lost)})
		admin = s.signIn(t, facts, "tenantAdmin")
		require.Equal(t, 200, s.call(t, "PATCH", post, `{"fields":{"title":"Other"},"published":true}`, admin...).status)
		require.Equal(t, 412, s.call(t, "PATCH", post, `{"fields":{"title":"Overwritten"}}`, append([]string{"If-Match", tag}, admin...)...).status)
		now := s.lastCursor(t, b.changes, b.token)
		for n := range 3 {
			idOf(t, s.call(t, "POST", b.posts, fmt.Sprintf(`{"fields":{"title":"After %d"},"published":true}`, n), admin...))
		}
		page := s.call(t, "GET", b.changes+"?since="+now, "", "Authorization", "Bearer "+b.token)
		require.Equal(t, 3, strings.Count(page.body, `"op":"put"`), page.body)
		require.Equal(t, []int{410, 410}, []int{b.since(t, s, before), b.since(t, s, lost)})
		s.Stop(t)

		run(t, "resume", "--due", "skip", "--deliveries", "park", "--tokens", "keep", "--database-url", p.database)
		s = p.serve(t)
		require.Equal(t, "ok\n", s.ready(t).body, "the restore was noticed again")
		require.Equal(t, 200, b.since(t, s, now))
		s.Stop(t)
	}
}

// TestRestoreBehindAService replaces the database of a running service, whose connections are lost.
func TestRestoreBehindAService(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	p := newPlace(t, "postgres", source.key)
	p.resumed(t, source.backup(t))
	s := p.serve(t) // the service has had the database once
	s.Stop(t)
	other := postgrestest.Copy(t, p.database)
	s = p.serve(t)
	b := blogOf(facts)
	cursor := s.lastCursor(t, b.changes, b.token)
	require.Equal(t, "ok\n", s.ready(t).body)

	name := func(database string) string {
		parsed, err := url.Parse(database)
		require.NoError(t, err)
		return strings.TrimPrefix(parsed.Path, "/")
	}
	server := strings.Replace(p.database, "/"+name(p.database), "/postgres", 1)
	require.NotEqual(t, p.database, server)
	rename := func(from, to string) { execute(t, server, "ALTER DATABASE "+from+" RENAME TO "+to) }
	execute(t, server, "ALTER DATABASE "+name(p.database)+" ALLOW_CONNECTIONS false")
	execute(t, server, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '"+name(p.database)+"'")
	swap := name(p.database) + "_before"
	rename(name(p.database), swap)
	rename(name(other), name(p.database))
	rename(swap, name(other))
	s.Await(t, "the pause", func() bool { return s.ready(t).body == "ok\npaused\n" })
	s.Await(t, "the log", func() bool { return strings.Contains(s.Output(), "other tools restored the database") })
	s.Await(t, "the new epoch", func() bool { return b.since(t, s, cursor) == 410 })
}

// TestServiceUnderARestore restores into the empty database of a running service, which ends.
func TestServiceUnderARestore(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	archive := source.backup(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		p := newPlace(t, engine, source.key)
		s := p.serve(t)
		p.restore(t, archive)
		require.Error(t, s.Ended(t))
		require.Contains(t, s.Output(), "a restore of the database has begun: the process ends")
		require.Equal(t, "0 differences found, 0 repaired\n", run(t, append([]string{"check"}, p.settings()...)...))
		s = p.serve(t)
		require.Equal(t, "ok\npaused\n", s.ready(t).body)
		s.signIn(t, facts, "tenantAdmin")
		s.Stop(t)
	}
}

// TestUnknownPlace serves a database with a role that may not read the system identifier. The service warns, and
// works.
func TestUnknownPlace(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	execute(t, database, "CREATE ROLE blind LOGIN; GRANT ALL ON SCHEMA public TO blind; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public")
	t.Cleanup(func() { execute(t, database, "DROP OWNED BY blind; DROP ROLE blind") })
	p := place{
		database: strings.Replace(database, "postgres://postgres@", "postgres://blind@", 1),
		blobs:    "file:" + t.TempDir(), key: postgrestest.SecretKey,
	}
	s := p.serve(t)
	require.Contains(t, s.Output(), "the role may not read the system identifier of the server")
	require.Equal(t, "ok\n", s.ready(t).body)
	s.Stop(t)
}
