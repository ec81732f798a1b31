package truth

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

var kills = flag.Int("kills", 6, "how often TestKilledReleases kills the publication of a release, on each database")

// killedSize is how many members the releases of TestKilledReleases have.
const killedSize = 200

// TestKilledReleases kills the program at random moments around the publication of releases of 200 members: at once,
// at their time, and with the last approval. All members are published then, or none; what was not, goes out after
// the restart. Each publication has one event and one version of each member.
func TestKilledReleases(t *testing.T) {
	t.Parallel()
	for _, on := range []struct{ name, database string }{
		{"sqlite", "sqlite:" + filepath.Join(t.TempDir(), "kills.db")}, {"postgres", postgrestest.Migrated(t)},
	} {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, on.database, 1, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))) //nolint:gosec // any number will do
			k := w.newKilled()
			for n := range *kills {
				k.round(n)
			}
			k.verify()
			t.Logf("%d kills: %d releases were public after the restart, the others were not", *kills, k.before)
		})
	}
}

// killed is a set of entries, all of which one release after another publishes or unpublishes.
type killed struct {
	*world
	set      *set
	shows    string            // the title of all members that readers see; "": none is public
	took     time.Duration     // a publication that is not killed
	times    map[int]time.Time // of releases that publish; of those that unpublish the zero Time
	before   int               // kills after which the release was public at once
	versions int               // of each member before the first of these releases
}

// newKilled returns a set of which readers see the second of two versions.
func (w *world) newKilled() *killed {
	w.t.Helper()
	k := &killed{world: w, set: w.newSet("killed", killedSize-moreEntries), times: map[int]time.Time{}, versions: 2}
	if err := w.release(k.set); err != nil {
		w.t.Fatal(err)
	}
	k.shows = killedTitle(1)
	release := k.compose(killedTitle(0))
	began := time.Now()
	w.must(http.MethodPost, w.releasePath(release, "/publish"), "")
	k.took = time.Since(began)
	k.settled(release, killedTitle(0))
	return k
}

// killedTitle returns the title of a version: of the publications 1 and 2 of each member.
func killedTitle(version int) string { return fmt.Sprintf("killed round %d end", version) }

func (w *world) releasePath(id int, rest string) string {
	return w.agency.path(fmt.Sprintf("/releases/%d%s", id, rest))
}

// compose creates a release after which readers see all members with the title next, or none.
func (k *killed) compose(next string) int {
	k.t.Helper()
	release := k.create(k.agency.path("/releases"), fmt.Sprintf(`{"name":"To %s"}`, next))
	members := make([]map[string]any, len(k.set.entries))
	for i, e := range k.set.entries {
		members[i] = map[string]any{"entryId": e}
		switch next {
		case "":
			members[i]["action"] = "unpublish"
		case killedTitle(0):
			members[i]["from"] = map[string]int{"publication": 1}
		}
	}
	body, err := json.Marshal(map[string]any{"members": members})
	if err != nil {
		k.t.Fatal(err)
	}
	k.must(http.MethodPost, k.releasePath(release, "/members"), string(body))
	return release
}

// round publishes a release, kills the program meanwhile, and lets it go out.
func (k *killed) round(n int) {
	k.t.Helper()
	all := []string{"", killedTitle(0), killedTitle(1)}
	next := all[(slices.Index(all, k.shows)+1+k.random.IntN(2))%len(all)]
	release := k.compose(next)
	moment := rand.N(k.took + k.took/2)
	publish := func() int {
		a, err := k.call(context.Background(), http.MethodPost, k.bases[0]+k.releasePath(release, "/publish"), "", k.root...)
		return k.status(a, err)
	}
	switch n % 3 {
	case 0:
		k.crash(moment, func() { publish() })
	case 1:
		due := time.Now().Add(time.Second).Truncate(time.Millisecond)
		k.must(http.MethodPost, k.releasePath(release, "/publish"), fmt.Sprintf(`{"publishAt":%q}`, due.UTC().Format(time.RFC3339Nano)))
		publish = func() int { return 0 } // the worker does
		k.crash(time.Until(due)+moment, func() {})
	default:
		k.must(http.MethodPut, k.agency.path("/approval-workflow"), workflow)
		k.must(http.MethodPost, k.releasePath(release, "/publish"), "")
		publish = func() int {
			a, err := k.call(context.Background(), http.MethodPost, k.bases[0]+k.releasePath(release, "/approval/approve"), "{}", k.root...)
			return k.status(a, err)
		}
		k.crash(moment, func() { publish() })
	}
	if k.whole(release, next) {
		k.before++
	} else if status := publish(); status != 0 && status != http.StatusOK && status != http.StatusConflict { // the killed publication may be committed by now
		k.t.Fatalf("the publication of release %d answered %d after the restart", release, status)
	}
	k.settled(release, next)
	if n%3 == 2 {
		k.must(http.MethodDelete, k.agency.path("/approval-workflow"), "")
	}
}

// status returns the status of a response, or 0 when there was none.
func (k *killed) status(a response, err error) int {
	if err != nil {
		return 0
	}
	return a.status
}

// crash kills the program when act has run for the given time, and starts it again.
func (k *killed) crash(after time.Duration, act func()) {
	k.t.Helper()
	var acting sync.WaitGroup
	acting.Go(act)
	<-time.After(after)
	k.kill(0)
	acting.Wait()
	k.client.CloseIdleConnections()
}

// state returns the state of a release, and the time of its publication.
func (k *killed) state(release int) (state string, at time.Time) {
	k.t.Helper()
	r := decode[struct {
		State, Fault string
		PublishedAt  time.Time
	}](k.t, k.must(http.MethodGet, k.releasePath(release, ""), ""))
	if r.Fault != "" {
		k.t.Fatalf("release %d: %s", release, r.Fault)
	}
	return r.State, r.PublishedAt
}

// public returns the title with which readers see all members; "" when they see none.
func (k *killed) public() string {
	k.t.Helper()
	var shown []string
	for slug, size := range map[string]int{k.set.name: len(k.set.entries) - moreEntries, "more-" + k.set.name: moreEntries} {
		var list struct{ Data []struct{ Title string } }
		k.get("/public/v2/projects/"+k.agency.uuid+"/collections/"+slug+"/entries?limit=500", &list, k.agency.reader...)
		titles := map[string]int{}
		for _, e := range list.Data {
			titles[e.Title]++
		}
		if len(titles) == 0 {
			titles[""] = size
		}
		for title, count := range titles {
			if count != size || len(titles) > 1 {
				k.t.Fatalf("readers of %s see a part of a release, entries by title: %v", slug, titles)
			}
			shown = append(shown, title)
		}
	}
	if shown[0] != shown[1] {
		return k.public() // a release was published between the two answers
	}
	return shown[0]
}

// whole checks that readers see all that the release publishes if it is published, and otherwise nothing of it.
func (k *killed) whole(release int, next string) (published bool) {
	k.t.Helper()
	before, _ := k.state(release)
	shown := k.public()
	after, _ := k.state(release)
	if want := map[bool]string{true: next, false: k.shows}[after == "published"]; before == after && shown != want {
		k.t.Fatalf("release %d is %s, but readers see %q, not %q", release, after, shown, want)
	}
	return after == "published"
}

// settled waits until the release is published, and checks what readers see, and its event.
func (k *killed) settled(release int, next string) {
	k.t.Helper()
	var at time.Time
	k.processes[0].Await(k.t, fmt.Sprintf("release %d", release), func() bool {
		state, published := k.state(release)
		at = published
		return state == "published"
	})
	if shown := k.public(); shown != next {
		k.t.Fatalf("release %d is published, but readers see %q, not %q", release, shown, next)
	}
	if next == "" {
		at = time.Time{}
	}
	k.shows, k.times[release] = next, at
}

// verify checks the events of all releases, the versions of all members, and the database.
func (k *killed) verify() {
	k.t.Helper()
	for kind, size := range map[string]int{"release.published": 1, "entry.published": killedSize, "entry.unpublished": killedSize} {
		counts := map[int]int{}
		for after, more := 1, true; more; {
			var page struct {
				Data []struct{ ID, ReleaseID int }
				Meta struct{ HasMore bool }
			}
			k.get(k.agency.path(fmt.Sprintf("/events?type=%s&limit=500&after=%d", kind, after)), &page)
			for _, e := range page.Data {
				counts[e.ReleaseID]++
				after = e.ID
			}
			more = page.Meta.HasMore
		}
		for release, at := range k.times {
			want := size
			if kind == "entry.published" && at.IsZero() || kind == "entry.unpublished" && !at.IsZero() {
				want = 0
			}
			if counts[release] != want {
				k.t.Errorf("release %d has %d events %s, want %d", release, counts[release], kind, want)
			}
		}
	}
	var want []time.Time
	for _, at := range k.times {
		if !at.IsZero() {
			want = append(want, at)
		}
	}
	slices.SortFunc(want, time.Time.Compare)
	for i, e := range k.set.entries {
		of := *k.agency
		of.collection = k.set.collection
		if i < moreEntries {
			of.collection = k.set.more
		}
		list := k.readPublications(&of, e)
		got := make([]time.Time, 0, len(list))
		for _, p := range list[min(len(list), k.versions):] {
			got = append(got, p.PublishedAt)
		}
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			k.t.Errorf("member %d was published at %v, the releases at %v", e, got, want)
		}
	}
	k.processes[0].Stop(k.t)
	check := []string{"check"}
	for i, setting := range k.settings {
		if setting == "--database-url" || setting == "--blob-url" {
			check = append(check, k.settings[i:i+2]...)
		}
	}
	if out, diagnostics, err := program.Run(k.t, "", check...); err != nil {
		k.t.Errorf("check: %v: %s%s", err, out, diagnostics)
	}
}
