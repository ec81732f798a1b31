package truth

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"imprimatur/test/postgrestest"
)

// Eight writers publish one entry. Every version has a period of its own, in which asOf finds it.
func TestWritersOfOneEntry(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{
		"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "writers.db"), "postgres": postgrestest.Migrated(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const writers, each = 8, 60
			w := newWorld(t, database, 1, rand.New(rand.NewPCG(1, 1)))
			id := w.create(w.site.articles(), `{"published":true,"fields":{"title":"0 0"}}`)
			var group sync.WaitGroup
			for n := range writers {
				group.Go(func() {
					for i := range each {
						a, err := w.call(t.Context(), http.MethodPatch, w.bases[0]+w.site.content(id, ""), fmt.Sprintf(`{"published":true,"fields":{"title":"%d %d"}}`, n+1, i), w.root...)
						if err != nil || a.status != http.StatusOK {
							t.Errorf("%v, %d: %s", err, a.status, a.body)
						}
					}
				})
			}
			group.Wait()
			list := w.readPublications(w.site, id)
			if len(list) != writers*each+1 {
				t.Fatalf("%d publications, want %d", len(list), writers*each+1)
			}
			for i := range list {
				p := &list[i]
				if i > 0 && (list[i-1].UnpublishedAt == nil || !list[i-1].UnpublishedAt.Equal(p.PublishedAt) || !list[i-1].PublishedAt.Before(p.PublishedAt)) {
					t.Errorf("publication %d is from %v to %v, the next from %v", list[i-1].Number, list[i-1].PublishedAt, list[i-1].UnpublishedAt, p.PublishedAt)
				}
				var v verdict
				w.readPublication(w.site, id, p, &v)
				var past map[string]any
				w.get(w.site.public()+"/"+fmt.Sprint(id)+"?asOf="+url.QueryEscape(p.key()), &past, w.site.history...)
				if title, _ := p.fields["title"].(string); past["title"] != title || strings.Count(title, " ") != 1 {
					t.Errorf("publication %d has the title %q, asOf finds %v", p.Number, title, past["title"])
				}
			}
		})
	}
}
