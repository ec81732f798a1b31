package releases

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
)

// sample is one request of a client.
type sample struct {
	began time.Time
	took  time.Duration
}

// windows are the times in which releases were submitted and published.
type windows struct {
	mu  sync.Mutex
	all [][2]time.Time
}

func (w *windows) add(began, ended time.Time) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, [2]time.Time{began, ended})
}

// within returns the samples that overlap a window; all if it has none.
func (w *windows) within(samples []sample) []sample {
	if len(w.all) == 0 {
		return samples
	}
	return slices.DeleteFunc(samples, func(s sample) bool {
		return !slices.ContainsFunc(w.all, func(window [2]time.Time) bool {
			return s.began.Before(window[1]) && s.began.Add(s.took).After(window[0])
		})
	})
}

// served are the requests of all clients.
type served struct{ reads, drafts []sample }

// clients has readers and editors work while do runs, and returns their requests in its windows.
func (d *desk) clients(ctx context.Context, o options, do func(*windows) error) (served, error) {
	var s served
	var mu sync.Mutex
	var failed error
	var running sync.WaitGroup
	working, stop := context.WithCancel(ctx)
	defer stop()
	work := func(into *[]sample, pause time.Duration, request func() error) {
		running.Go(func() {
			var own []sample
			var err error
			for working.Err() == nil && err == nil {
				began := time.Now()
				err = request()
				own = append(own, sample{began, time.Since(began)})
				_ = wait(working, pause) // it ends when the clients end
			}
			mu.Lock()
			defer mu.Unlock()
			*into = append(*into, own...)
			if failed == nil {
				failed = err
			}
		})
	}
	for range o.readers {
		work(&s.reads, time.Millisecond, func() error { return d.read(ctx) })
	}
	for n := range o.editors {
		work(&s.drafts, 5*time.Millisecond, func() error { return d.edit(ctx, d.drafts[n%len(d.drafts)]) })
	}
	var w windows
	err := do(&w)
	stop()
	running.Wait()
	if err == nil {
		err = failed
	}
	return served{w.within(s.reads), w.within(s.drafts)}, err
}

// read reads a list of articles.
func (d *desk) read(ctx context.Context) error {
	listing, err := d.reader.Prepare(ctx, d.project, false, query.Query{Collection: d.articles.Slug, Sort: "id", Limit: new(int64(20))})
	if err != nil {
		return err
	}
	page, err := listing.Page(ctx)
	if err == nil && len(page.Entries) == 0 {
		err = errNothingRead
	}
	return err
}

// edit changes a draft.
func (d *desk) edit(ctx context.Context, id int64) error {
	title, err := json.Marshal(fmt.Sprint("Note at ", time.Now().UnixNano()))
	if err != nil {
		return err
	}
	_, err = d.writer.Update(ctx, d.editor, review.EntryRef{Project: d.project, CollectionID: d.notes.ID, ID: id}, nil,
		core.EntryWrite{KeepPublished: true, Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": title}}})
	return err
}
