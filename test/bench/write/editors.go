package write

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
)

// Editors that save while an import changes the same entries.
const (
	editors    = 10
	savesEvery = 100 * time.Millisecond // of each editor
)

// importBeside imports the first entries of the target again, with changes: alone, and beside
// editors who save the same entries. The cell has both times in seconds, their ratio, and the
// latencies of the saves in ms.
func (o options) importBeside(ctx context.Context, t target) (cell string, err error) {
	if t.entries == nil || o.changed == 0 {
		return "", nil
	}
	ids, err := t.entries(o.changed)
	if err != nil {
		return "", err
	}
	alone, err := o.reimport(ctx, t, "alone")
	if err != nil {
		return "", err
	}
	var changed time.Duration
	all, err := beside(ctx, t, ids, func() (err error) {
		changed, err = o.reimport(ctx, t, "beside editors")
		return err
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.2f, %.2f (× %.1f); %d saves: %.1f, %.1f", alone.Seconds(), changed.Seconds(), changed.Seconds()/alone.Seconds(),
		len(all), share(all, 50), share(all, 99)), nil
}

// beside lets editors save the entries while do runs, and returns how long their saves took, the shortest
// first.
func beside(ctx context.Context, t target, ids []int64, do func() error) ([]time.Duration, error) {
	saving, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	took, failures := make([][]time.Duration, editors), make([]error, editors)
	for n := range editors {
		group.Go(func() { took[n], failures[n] = save(saving, t, ids) })
	}
	err := do()
	stop()
	group.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if err = errors.Join(append(failures, err)...); err == nil && len(all) == 0 {
		err = errNoSaves
	}
	return all, err
}

// reimport changes the titles of the first articles with the import command.
func (o options) reimport(ctx context.Context, t target, title string) (time.Duration, error) {
	var file bytes.Buffer
	for n := 1; n <= o.changed; n++ {
		fmt.Fprintf(&file, `{"key":"article-%06d","published":true,"fields":{"title":"Article %d, imported %s"}}`+"\n", n, n, title)
	}
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	command := exec.CommandContext(ctx, program, profiled.Command, "", "import", "--database-url", t.databaseURL, "--log-level", "error",
		"--project", t.project, "--collection", "articles", "--key-field", "slug", "-")
	command.Stdin = &file
	began := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(began)
	if err == nil && !strings.Contains(string(out), fmt.Sprintf("%d updated", o.changed)) {
		err = fmt.Errorf("not all entries were updated")
	}
	if err != nil {
		return 0, fmt.Errorf("import: %w: %s", err, out)
	}
	return took, nil
}

// save saves random entries until ctx ends, and returns how long each save took.
func save(ctx context.Context, t target, ids []int64) (took []time.Duration, err error) {
	ticks := time.NewTicker(savesEvery)
	defer ticks.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return took, nil
		case <-ticks.C:
		}
		request, err := t.edit(ids[rand.N(len(ids))], fmt.Sprintf("Sentence %d of an editor.", n))
		if err != nil {
			return nil, err
		}
		began := time.Now()
		status, response, err := load.Once(request)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("save: %d %.300s %w", status, response, err)
		}
		took = append(took, time.Since(began))
	}
}

// editing returns the functions of a target that list entries and change one.
func editing(address, entries, bearer string) (list func(count int) ([]int64, error), edit func(id int64, body string) (load.Request, error)) {
	const page = 500
	list = func(count int) (ids []int64, err error) {
		for len(ids) < count {
			path := fmt.Sprintf("%s?fields=slug&sort=slug&where[slug][gte]=article-000001&where[slug][lte]=article-999999&limit=%d&offset=%d", entries, page, len(ids))
			status, response, err := load.Once(load.NewRequest(address, http.MethodGet, path, bearer, ""))
			if err != nil || status != http.StatusOK {
				return nil, fmt.Errorf("entries: %d %.300s %w", status, response, err)
			}
			var found struct{ Data []struct{ ID int64 } }
			if err := json.Unmarshal(response, &found); err != nil {
				return nil, err
			}
			if len(found.Data) == 0 {
				return nil, fmt.Errorf("only %d of %d entries", len(ids), count)
			}
			for _, e := range found.Data {
				ids = append(ids, e.ID)
			}
		}
		return ids[:count], nil
	}
	edit = func(id int64, body string) (load.Request, error) {
		text, err := json.Marshal(map[string]any{"fields": map[string]string{"body": body}})
		return load.NewRequest(address, http.MethodPatch, fmt.Sprintf("%s/%d?check=draft", entries, id), bearer, string(text)), err
	}
	return list, edit
}
