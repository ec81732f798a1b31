package archive

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writer creates posts one after another, with numbers in their titles.
type writer struct {
	name    string
	written atomic.Int64 // posts that are acknowledged
}

// run writes until stop is closed or the service ends.
func (w *writer) run(base, path string, header []string, stop <-chan struct{}) {
	for n := 1; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(5 * time.Millisecond): // the pace of the writer
		}
		request, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(fmt.Sprintf(`{"fields":{"title":"%s %06d"},"published":true}`, w.name, n)))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return // the service was killed
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			return
		}
		w.written.Store(int64(n))
	}
}

// in returns how many posts of the writer an archive has, which must be the first ones, each with its event,
// its publication and its revision.
func (w *writer) in(t *testing.T, members []member) int64 {
	t.Helper()
	title := regexp.MustCompile(`\b` + w.name + ` (\d{6})\b`)
	ids, last := map[int64]bool{}, 0
	tables := map[string]map[int64]bool{}
	for _, m := range members {
		table, _, _ := strings.Cut(strings.TrimPrefix(m.Name, "tables/"), "/")
		for line := range strings.Lines(string(m.content)) {
			var row struct {
				ID      int64
				EntryID int64 `json:"entry_id"`
				Type    string
			}
			switch table {
			case "entries":
				if found := title.FindStringSubmatch(line); found != nil {
					require.NoError(t, json.Unmarshal([]byte(line), &row))
					n, err := strconv.Atoi(found[1])
					require.NoError(t, err)
					ids[row.ID], last = true, max(last, n)
				}
			case "publications", "events":
				require.NoError(t, json.Unmarshal([]byte(line), &row))
				if table == "publications" || row.Type == "entry.published" {
					if tables[table] == nil {
						tables[table] = map[int64]bool{}
					}
					tables[table][row.EntryID] = true
				}
			}
		}
	}
	require.Len(t, ids, last, "the posts of %s in the archive are not the first ones", w.name)
	for table, has := range tables {
		for id := range ids {
			require.True(t, has[id], "%s have nothing of the post %d of the archive", table, id)
		}
	}
	return int64(last)
}

// TestWritersBesideABackup backs up while posts are written, the last time while the service is killed. Each
// archive has one moment: all posts that were acknowledged before, and no half one.
func TestWritersBesideABackup(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	archive := source.backup(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		p := newPlace(t, engine, source.key)
		p.resumed(t, archive)
		s := p.serve(t)
		admin := s.signIn(t, facts, "tenantAdmin")
		writers := []*writer{{name: "anna"}, {name: "bert"}, {name: "cleo"}}
		stop := make(chan struct{})
		var running sync.WaitGroup
		for _, w := range writers {
			running.Go(func() { w.run(s.base, blogOf(facts).posts, admin, stop) })
		}
		for round := range 3 {
			want := map[*writer]int64{}
			for _, w := range writers {
				s.Await(t, "posts", func() bool { return w.written.Load() > int64(round) })
				want[w] = w.written.Load()
			}
			made := make(chan string)
			go func() { defer close(made); made <- p.backup(t, "--blobs", "none") }()
			if round == 2 {
				s.Kill(t)
			}
			file := <-made
			members := unpack(t, file)
			for _, w := range writers {
				require.GreaterOrEqual(t, w.in(t, members), want[w], w.name)
			}
			if round == 2 {
				require.Contains(t, run(t, "backup", "verify", "--restore", file), "0 differences found")
			}
		}
		close(stop)
		running.Wait()
	}
}
