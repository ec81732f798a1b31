package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// version identifies what readers saw of an entry: the begin of a publication is its updatedAt.
type version struct {
	entry     int
	updatedAt string
}

// door is one way to read a list of articles.
type door struct {
	name    string
	project *project
	stale   time.Duration // how old its answers may be
	read    func(ctx context.Context) (entries []json.RawMessage, a response, err error)

	polls []span
	runs  map[int][]run       // of each entry
	shown map[version][]sight // the different forms of each version
}

// span is the time of a poll.
type span struct{ began, ended time.Time }

// run is a series of consecutive polls that saw the same version of an entry.
type run struct {
	updatedAt   string
	first, last int // indexes of polls
}

// sight is the JSON of an entry, and when it was polled first.
type sight struct {
	json string
	at   span
}

// maxSights bounds the forms of one version that are kept: captions in the library change often.
const maxSights = 4

// seen is what a poll shows of an entry.
type seen struct {
	ID        int
	UpdatedAt string
	Related   []seen
}

// see adds a poll to the door.
func (d *door) see(entries []json.RawMessage, at span) error {
	d.polls = append(d.polls, at)
	n := len(d.polls) - 1
	for _, text := range entries {
		var e seen
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		runs := d.runs[e.ID]
		if last := len(runs) - 1; last >= 0 && runs[last].updatedAt == e.UpdatedAt && runs[last].last == n-1 {
			runs[last].last = n
		} else {
			d.runs[e.ID] = append(runs, run{e.UpdatedAt, n, n})
		}
		v := version{e.ID, e.UpdatedAt}
		forms := d.shown[v]
		if len(forms) < maxSights && (len(forms) == 0 || forms[len(forms)-1].json != string(text)) {
			d.shown[v] = append(forms, sight{string(text), at})
		}
	}
	return nil
}

// poll starts a poller for each door, one for files and one for the load of the machine.
func (w *world) poll(group *sync.WaitGroup, stop <-chan struct{}) {
	repeat := func(pause time.Duration, act func()) {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(pause):
					act()
				}
			}
		})
	}
	for n, base := range w.bases {
		stale := time.Duration(0)
		if n > 0 {
			stale = time.Second
		}
		w.doors = append(w.doors,
			w.restDoor(fmt.Sprintf("REST of process %d", n+1), base, w.site, stale),
			w.graphDoor(fmt.Sprintf("GraphQL of process %d", n+1), base, w.site, stale))
	}
	w.doors = append(w.doors, w.restDoor("REST of the agency", w.bases[0], w.agency, 0))
	for _, d := range w.doors {
		repeat(15*time.Millisecond, func() {
			entries, a, err := d.read(context.Background())
			if err == nil && a.status != http.StatusOK {
				err = fmt.Errorf("answered %d: %s", a.status, a.body)
			}
			if err == nil {
				err = d.see(entries, span{a.began, a.ended})
			}
			if err != nil {
				w.t.Errorf("%s: %v", d.name, err)
			}
		})
	}
	r := rand.New(rand.NewPCG(3, 3))
	repeat(20*time.Millisecond, func() { w.fetchFile(r) })
	repeat(60*time.Millisecond, w.measureLoad)
}

func (w *world) restDoor(name, base string, p *project, stale time.Duration) *door {
	d := &door{name: name, project: p, stale: stale, runs: map[int][]run{}, shown: map[version][]sight{}}
	d.read = func(ctx context.Context) ([]json.RawMessage, response, error) {
		a, err := w.call(ctx, http.MethodGet, base+p.public()+"?locale=*&limit=500&timestamps=true&sort=id", "", p.reader...)
		var list struct{ Data []json.RawMessage }
		if err == nil {
			err = json.Unmarshal(a.body, &list)
		}
		return list.Data, a, err
	}
	return d
}

func (w *world) graphDoor(name, base string, p *project, stale time.Duration) *door {
	d := &door{name: name, project: p, stale: stale, runs: map[int][]run{}, shown: map[version][]sight{}}
	d.read = func(ctx context.Context) ([]json.RawMessage, response, error) {
		a, err := w.call(ctx, http.MethodPost, base+"/public/v2/graphql",
			`{"query":"{ entries(collection: \"articles\", locale: \"*\", limit: 500, timestamps: true) { items { data } } }"}`, p.reader...)
		var list struct {
			Data struct {
				Entries struct {
					Items []struct{ Data json.RawMessage }
				}
			}
		}
		if err == nil {
			err = json.Unmarshal(a.body, &list)
		}
		var entries []json.RawMessage
		for _, item := range list.Data.Entries.Items {
			entries = append(entries, item.Data)
		}
		return entries, a, err
	}
	return d
}

var mediaURL = regexp.MustCompile(`"id":(\d+),"fileName":"[^"]*","fullUrl":"([^"]+)"`)

// fetchFile reads an article and then the file of one of its media.
func (w *world) fetchFile(r *rand.Rand) {
	id := w.article(r)
	a, err := w.call(context.Background(), http.MethodGet, w.bases[0]+w.site.public()+"/"+strconv.Itoa(id)+"?timestamps=true&depth=0", "", w.site.reader...)
	if err != nil {
		w.t.Error(err)
		return
	}
	media := mediaURL.FindAllStringSubmatch(string(a.body), -1)
	if a.status != http.StatusOK || len(media) == 0 {
		return
	}
	one := media[r.IntN(len(media))]
	var e seen
	if err := json.Unmarshal(a.body, &e); err != nil {
		w.t.Error(err)
		return
	}
	f, err := w.call(context.Background(), http.MethodGet, one[2], "")
	if err != nil {
		w.t.Error(err)
		return
	}
	medium, _ := strconv.Atoi(one[1])
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.fetches = append(w.fetches, fetch{medium, version{id, e.UpdatedAt}, f.ended, f.status, string(f.body)})
}

// sample is how long a small, constant piece of work took: it tells how loaded the machine is.
type sample struct {
	at   time.Time
	took time.Duration
}

// measureLoad computes for about 20 milliseconds, as long as a transaction of several entries, sleeps and
// writes to the disk. Shorter work would not wait for other processes.
func (w *world) measureLoad() {
	began := time.Now()
	n := uint64(1)
	for range 16_000_000 {
		n = n*6364136223846793005 + 1442695040888963407
	}
	time.Sleep(time.Millisecond + time.Duration(n&1)) // waking up is part of the measured work
	err := os.WriteFile(w.scratch, []byte(began.String()), 0o600)
	if err != nil {
		w.t.Error(err)
	}
	w.load = append(w.load, sample{began, time.Since(began)})
}
