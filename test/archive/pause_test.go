package archive

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
	"imprimatur/test/program"
)

// signIn returns the headers of requests of a user of the demo.
func (s server) signIn(t *testing.T, facts demo.Facts, user string) []string {
	t.Helper()
	account := facts.Users[user]
	answer := s.call(t, "POST", "/api/session", `{"email":"`+account.Email+`","password":"`+account.Password+`"}`, "Origin", s.base)
	require.Equal(t, 200, answer.status, answer.body)
	cookie, _, _ := strings.Cut(answer.header.Get("Set-Cookie"), ";")
	return []string{"Cookie", cookie, "Origin", s.base}
}

// opsAddress is in the log line of a start.
var opsAddress = regexp.MustCompile(`operations on (http://[^)\s]+)`)

func (s server) ready(t *testing.T) response {
	t.Helper()
	ops := server{base: opsAddress.FindStringSubmatch(s.Output())[1]}
	return ops.call(t, "GET", "/readyz", "")
}

// idOf returns the id in a response.
func idOf(t *testing.T, answer response) int64 {
	t.Helper()
	require.Less(t, answer.status, 300, answer.body)
	var made struct{ ID int64 }
	require.NoError(t, json.Unmarshal([]byte(answer.body), &made))
	return made.ID
}

// TestPause restores a backup with a publication that is due by then. Nothing is published until the
// pause ends, tokens that write are off, sessions have ended, and ids go on higher.
func TestPause(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	s := source.serve(t)
	editor := s.signIn(t, facts, "projectAdmin")
	blog := fmt.Sprintf("/api/projects/%d/collections/%d/content", facts.Projects.Blog.ID, facts.Collections.Posts)
	admin := s.signIn(t, facts, "tenantAdmin")
	due := idOf(t, s.call(t, "POST", blog, `{"fields":{"title":"Due after the restore"}}`, admin...))
	at := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)
	scheduled := s.call(t, "POST", fmt.Sprintf("%s/%d/publish", blog, due), `{"publishAt":"`+at+`"}`, admin...)
	require.Less(t, scheduled.status, 300, scheduled.body)
	changes := "/public/v2/projects/" + facts.Projects.Blog.UUID + "/changes"
	cursor := s.lastCursor(t, changes, facts.Tokens.Blog.ReadOnly)
	tag := s.call(t, "PATCH", fmt.Sprintf("%s/%d", blog, due), `{"fields":{"title":"Due later"}}`, admin...).header.Get("Etag")
	require.Equal(t, `"2"`, tag)
	file := source.backup(t)
	s.Stop(t)

	for _, c := range []struct{ engine, due, tokens string }{{"postgres", "publish", "keep"}, {"sqlite", "skip", "revoke"}} {
		p := newPlace(t, c.engine, source.key)
		p.restore(t, file)
		s := p.serve(t)
		require.Equal(t, response{200, s.ready(t).header, "ok\npaused\n"}, s.ready(t))
		require.Contains(t, s.Output(), "the installation is paused since a restore")
		require.Equal(t, 401, s.call(t, "GET", "/api/me/notices", "", editor...).status, "the session has not ended")
		public := "/public/v2/projects/" + facts.Projects.Blog.UUID + "/collections/posts/entries"
		require.Equal(t, 200, s.call(t, "GET", public, "", "Authorization", "Bearer "+facts.Tokens.Blog.ReadOnly).status)
		require.Equal(t, 401, s.call(t, "GET", public, "", "Authorization", "Bearer "+facts.Tokens.Blog.Full).status, "a token that writes is not off")

		admin := s.signIn(t, facts, "tenantAdmin")
		gone := s.call(t, "GET", changes+"?since="+cursor, "", "Authorization", "Bearer "+facts.Tokens.Blog.ReadOnly)
		require.Equal(t, 410, gone.status, gone.body)
		s.lastCursor(t, changes, facts.Tokens.Blog.ReadOnly)
		write := func(match string) response {
			return s.call(t, "PATCH", fmt.Sprintf("%s/%d", blog, due), `{"fields":{"title":"Due after the restore, `+match[1:2]+`"}}`, append([]string{"If-Match", match}, admin...)...)
		}
		require.Equal(t, 412, write(tag).status, "a bare version after a restore")
		now := s.call(t, "GET", fmt.Sprintf("%s/%d", blog, due), "", admin...).header.Get("Etag")
		require.Regexp(t, `^"2\.2-[a-z0-9]{8}"$`, now)
		written := write(now)
		require.Equal(t, 200, written.status, written.body)
		require.Equal(t, strings.Replace(now, `"2.`, `"3.`, 1), written.header.Get("Etag"))
		require.Equal(t, 412, write(now).status)
		made := idOf(t, s.call(t, "POST", blog, `{"fields":{"title":"Made while paused"}}`, admin...))
		require.Greater(t, made, due+900_000)
		state := func() string {
			var entry struct{ State string }
			require.NoError(t, json.Unmarshal([]byte(s.call(t, "GET", fmt.Sprintf("%s/%d", blog, due), "", admin...).body), &entry))
			return entry.State
		}
		for until := time.Now().Add(-time.Second); ; { // the time has passed, and the worker has looked
			if time.Now().UTC().Format(time.RFC3339Nano) > at && time.Since(until) > 2*time.Second {
				break
			}
			require.Equal(t, "draft", state(), "published while paused")
		}

		settings := []string{"--database-url", p.database}
		shown := run(t, append([]string{"resume"}, settings...)...)
		require.Contains(t, shown, "Due: 1\n")
		require.Contains(t, shown, "Tokens that are off: 4\n")
		require.Contains(t, shown, facts.Users["tenantAdmin"].Email)
		require.Contains(t, shown, "The installation stays paused: --due publish|skip and --deliveries send|park and --tokens keep|revoke missing.")
		fails(t, `setting --due: is "later", but must be publish or skip`, append([]string{"resume", "--due", "later"}, settings...)...)
		ended := run(t, append([]string{"resume", "--due", c.due, "--deliveries", "park", "--tokens", c.tokens, "--release-numbers-from", "500"}, settings...)...)
		require.Contains(t, ended, "the installation goes on")
		require.Equal(t, "the installation is not paused\n", run(t, append([]string{"resume"}, settings...)...))

		if c.due == "publish" {
			s.Await(t, "the publication", func() bool { return state() == "published" })
		} else {
			require.Equal(t, "draft", state())
			require.Contains(t, s.call(t, "GET", fmt.Sprintf("%s/%d", blog, due), "", admin...).body, `"scheduledPublishAt":null`)
		}
		want := map[string]int{"keep": 200, "revoke": 401}[c.tokens]
		s.Await(t, "the tokens", func() bool {
			return s.call(t, "GET", public, "", "Authorization", "Bearer "+facts.Tokens.Blog.Full).status == want
		})
		require.Equal(t, "ok\n", s.ready(t).body)
		events := run(t, append([]string{"events", "export"}, settings...)...)
		require.Contains(t, events, `"type":"installation.restored"`)
		require.Contains(t, events, `"type":"installation.resumed"`)
		s.Stop(t)
		require.Equal(t, "0 differences found, 0 repaired\n", run(t, append([]string{"check"}, p.settings()...)...))
	}
}

// lastCursor follows the changes of a Project and returns the last cursor.
func (s server) lastCursor(t *testing.T, path, token string) string {
	t.Helper()
	for cursor := ""; ; {
		answer := s.call(t, "GET", path+cursor, "", "Authorization", "Bearer "+token)
		require.Equal(t, 200, answer.status, answer.body)
		var page struct {
			Meta struct {
				Next    string
				HasMore bool
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answer.body), &page))
		if !page.Meta.HasMore {
			return page.Meta.Next
		}
		cursor = "?since=" + page.Meta.Next
	}
}

// TestKilledRestore kills restores at several moments. Nothing works with the database but another
// restore, which is whole.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	source, _ := demoPlace(t)
	file := source.backup(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		p := newPlace(t, engine, source.key)
		finished := false
		for wait := 150 * time.Millisecond; !finished; wait *= 2 {
			finished = p.killRestore(t, file, wait)
			if !finished && p.marked(t) {
				fails(t, "a restore of this database did not finish", append([]string{"check"}, p.settings()...)...)
				fails(t, "a restore of this database did not finish", append([]string{"serve", "--secret-key", source.key}, p.settings()...)...)
				break
			}
		}
		if !finished {
			p.restore(t, file)
		}
		require.Equal(t, "0 differences found, 0 repaired\n", run(t, append([]string{"check"}, p.settings()...)...))
		fails(t, "the database is not empty", append(append([]string{"restore"}, p.settings()...), file)...)
	}
}

// killRestore kills a restore after some time, and reports whether it, or the one before it, had finished by then: the
// last transaction of a restore removes its mark, and the program ends a moment later.
func (p place) killRestore(t *testing.T, archive string, wait time.Duration) (finished bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	command := exec.CommandContext(ctx, program.Binary(), append(append([]string{"restore"}, p.settings()...), archive)...) // killed with SIGKILL
	out, err := command.CombinedOutput()
	whole := err == nil || strings.Contains(string(out), "the database is not empty")
	if ctx.Err() == nil {
		require.True(t, whole, "%v: %s", err, out)
	}
	return whole
}

// marked reports whether a restore has begun and not finished.
func (p place) marked(t *testing.T) bool {
	t.Helper()
	_, diagnostics, err := program.Run(t, "", append([]string{"check"}, p.settings()...)...)
	return err != nil && strings.Contains(diagnostics, "did not finish")
}
