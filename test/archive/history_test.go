package archive

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnnoticedRestore puts an earlier copy of the database back, without the file by which the program would
// notice that. Cursors of before the copy go on, later ones do not.
func TestUnnoticedRestore(t *testing.T) {
	t.Parallel()
	p, facts := demoPlace(t)
	path := strings.TrimPrefix(p.database, "sqlite:")
	blog := fmt.Sprintf("/api/projects/%d/collections/%d/content", facts.Projects.Blog.ID, facts.Collections.Posts)
	changes := "/public/v2/projects/" + facts.Projects.Blog.UUID + "/changes"
	token := facts.Tokens.Blog.ReadOnly
	publish := func(s server, title string) {
		admin := s.signIn(t, facts, "tenantAdmin")
		idOf(t, s.call(t, "POST", blog, `{"fields":{"title":"`+title+`"},"published":true}`, admin...))
	}
	since := func(s server, cursor string) int {
		return s.call(t, "GET", changes+"?since="+cursor, "", "Authorization", "Bearer "+token).status
	}

	s := p.serve(t)
	publish(s, "Before")
	before := s.lastCursor(t, changes, token)
	s.Stop(t)
	copied, err := os.ReadFile(path) // a stopped process leaves no log beside it
	require.NoError(t, err)
	s = p.serve(t)
	publish(s, "Lost")
	after := s.lastCursor(t, changes, token)
	require.Equal(t, 200, since(s, after))
	s.Stop(t)

	for _, suffix := range []string{"-wal", "-shm", "-place"} {
		require.NoError(t, os.RemoveAll(path+suffix))
	}
	require.NoError(t, os.WriteFile(path, copied, 0o600))
	s = p.serve(t)
	require.Equal(t, 200, since(s, before))
	require.Equal(t, 410, since(s, after))
	for n := range 5 {
		publish(s, fmt.Sprint("Other ", n))
	}
	require.Equal(t, 200, since(s, before))
	require.Equal(t, 410, since(s, after), "the ids of the lost events mean others by now")
	require.Contains(t, run(t, "restored", "--database-url", p.database), "the installation is paused")
	s.Await(t, "the new epoch", func() bool { return since(s, before) == 410 })
}
