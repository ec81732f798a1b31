package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// project is a project with one collection.
type project struct {
	*cluster

	id            int64
	uuid          string
	token         string
	entries       []int64 // that writes change
	mu            sync.Mutex
	last          atomic.Int64   // number of the last write
	outcomes      map[string]int // status of the response to each write, by request id
	done, refused int
	unknown       int // writes without a response
}

const settled = 20 // entries that writes change

func newProject(ctx context.Context, c *cluster, name string) (*project, error) {
	p, err := must[made](ctx, c, http.MethodPost, fmt.Sprintf("/api/tenants/%d/projects", c.tenant), object{"name": name, "locales": []string{"en", "de"}})
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("/api/projects/%d", p.ID)
	if _, err := must[made](ctx, c, http.MethodPost, at+"/collections", object{"slug": "articles", "name": "Articles", "fields": []object{
		{"name": "title", "type": "text", "required": true}, {"name": "code", "type": "text", "unique": true},
	}}); err != nil {
		return nil, err
	}
	token, err := must[made](ctx, c, http.MethodPost, at+"/tokens", object{"name": "writer", "abilities": []string{"read", "create", "update", "delete"}, "allowDrafts": true, "rateLimit": 0})
	created := &project{cluster: c, id: p.ID, uuid: p.UUID, token: "Bearer " + token.Secret, outcomes: map[string]int{}}
	for n := 0; n < settled && err == nil; n++ {
		var id int64
		id, err = created.entry(ctx, n)
		created.entries = append(created.entries, id)
	}
	return created, err
}

// entry creates an entry with the code of that number.
func (p *project) entry(ctx context.Context, n int) (int64, error) {
	a, err := p.send(ctx, 0, http.MethodPost, p.path(), p.token, object{"published": true, "fields": object{"title": "Settled", "code": code(n)}})
	if err != nil || a.status != http.StatusCreated {
		return 0, fmt.Errorf("create: %d %s %w", a.status, a.body, err)
	}
	var created made
	err = json.Unmarshal(a.body, &created)
	return created.ID, err
}

func code(n int) string { return fmt.Sprintf("code-%d", n) }

func (p *project) path() string {
	return "/public/v2/projects/" + p.uuid + "/collections/articles/entries"
}

// addWebhook adds a webhook for all changes of entries.
func (p *project) addWebhook(ctx context.Context, r *receiver) error {
	hook, err := must[made](ctx, p.cluster, http.MethodPost, fmt.Sprintf("/api/projects/%d/webhooks", p.id),
		object{"name": r.name, "url": r.url, "events": []string{"entry.*"}, "active": true})
	r.hook = hook.ID
	return err
}

func (p *project) removeWebhook(ctx context.Context, r *receiver) error {
	_, err := must[object](ctx, p.cluster, http.MethodDelete, fmt.Sprintf("/api/projects/%d/webhooks/%d", p.id, r.hook), nil)
	return err
}

// write sends one write to a random process: three of ten are rolled back, because a unique value is
// taken or a version is old.
func (p *project) write(ctx context.Context) {
	n := p.last.Add(1)
	fields := object{"title": fmt.Sprintf("Write %d", n)}
	method, path, body := http.MethodPatch, fmt.Sprintf("%s/%d", p.path(), p.entries[rand.N(settled)]), object{"fields": fields}
	switch n % 10 {
	case 0, 1:
		method, path = http.MethodPost, p.path()
	case 2:
		method, path, body["published"] = http.MethodPost, p.path(), true
	case 3, 4:
		method, path, fields["code"] = http.MethodPost, p.path(), code(rand.N(settled))
	case 5: // the first entry has another code
		path, fields["code"] = fmt.Sprintf("%s/%d", p.path(), p.entries[0]), code(1+rand.N(settled-1))
	}
	a, err := p.send(ctx, rand.N(len(p.processes)), method, path, p.token, body)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil || a.status >= http.StatusInternalServerError:
		p.unknown++
		return
	case a.status/100 == 2:
		p.done++
	default:
		p.refused++
	}
	p.outcomes[a.header.Get("X-Request-Id")] = a.status
}

// writers is the number of clients that write at the same time.
const writers = 16

// writeSteadily sends rate writes per second until enough returns true.
func (p *project) writeSteadily(ctx context.Context, rate int, enough func() bool) {
	ticks := time.NewTicker(time.Second / time.Duration(rate))
	defer ticks.Stop()
	due := make(chan struct{}, writers)
	var working sync.WaitGroup
	for range writers {
		working.Go(func() {
			for range due {
				p.write(ctx)
			}
		})
	}
	for !enough() {
		<-ticks.C
		due <- struct{}{}
	}
	close(due)
	working.Wait()
}

// importSome imports lines of which every second is refused: its translation has a value that is taken.
func (p *project) importSome(ctx context.Context) error {
	var file strings.Builder
	for range 20 {
		n := p.last.Add(1)
		german := fmt.Sprintf(`{"title":"Importiert","code":"de-%d"}`, n)
		if n%2 == 0 {
			german = fmt.Sprintf(`{"title":"Importiert","code":%q}`, code(0))
		}
		fmt.Fprintf(&file, `{"key":"import-%d","published":true,"fields":{"title":"Imported","code":"import-%d"},"translations":{"de":%s}}`+"\n", n, n, german)
	}
	_, err := p.command(ctx, file.String(), "import", "--project", p.uuid, "--collection", "articles", "--log-level", "error", "-")
	if err != nil && !strings.Contains(err.Error(), "exit status 1") { // for the refused lines
		return err
	}
	return nil
}
