package flat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"imprimatur/test/bench/load"
	"imprimatur/test/postgrestest"
)

// server is the running program on one of the databases.
type server struct {
	address string
	command *exec.Cmd
	pids    []int // including those of the database
}

// serve starts a server for each case, without a read cache.
func (b *bench) serve(ctx context.Context) error {
	for _, c := range b.cases {
		address, err := load.FreeAddress()
		if err != nil {
			return err
		}
		command := exec.CommandContext(ctx, b.o.binary, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", c.database.url, "--read-cache-mb", "0",
			"--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error")
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			return err
		}
		c.server = &server{address: address, command: command, pids: append(b.engine.processes(), command.Process.Pid)}
		newest := load.NewRequest(address, http.MethodGet, questions()[1].path(b.site, 0), b.site.token, "")
		if err := load.Await(newest, time.Minute); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) stop() {
	_ = s.command.Process.Kill() // the process may have ended
	_ = s.command.Wait()
}

// Length of one measurement. Processor time has a resolution of a hundredth of a second.
const (
	leastRequests = 10
	leastTime     = 200 * time.Millisecond
)

// repeat sends one question repeatedly and returns the cost per request.
func (s *server) repeat(ctx context.Context, at *site, path string) (cost, error) {
	for range 3 { // fill caches
		if _, err := s.request(ctx, at, http.MethodGet, path, nil); err != nil {
			return cost{}, err
		}
	}
	var took []float64
	before := load.CPU(s.pids...)
	for start := time.Now(); len(took) < leastRequests || time.Since(start) < leastTime; {
		sent := time.Now()
		if _, err := s.request(ctx, at, http.MethodGet, path, nil); err != nil {
			return cost{}, err
		}
		took = append(took, milliseconds(time.Since(sent)))
	}
	return cost{median(took), (load.CPU(s.pids...) - before) / float64(len(took))}, nil
}

func (s *server) request(ctx context.Context, at *site, method, path string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+path, sent)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+at.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // read completely
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s answered %d: %s", method, path, response.StatusCode, data)
	}
	return data, err
}

// Names of the measured writes, in order.
var writeNames = []string{"create a draft", "update it", "publish it"}

const writeCount = 50

// writes measures the cost of writing one entry in each case.
func (b *bench) writes(ctx context.Context) ([][]cost, error) {
	all := make([][]cost, len(writeNames))
	base := questions()[0]
	for _, c := range b.cases {
		ids := make([]int64, writeCount)
		for n, name := range writeNames {
			before := load.CPU(c.server.pids...)
			var took []float64
			for i := range ids {
				method, path, body := http.MethodPatch, base.path(b.site, ids[i]), map[string]any{}
				switch n {
				case 0:
					method, path = http.MethodPost, "/public/v2/projects/"+b.site.project.UUID+"/collections/"+b.site.articles.Slug+"/entries"
					body["fields"] = map[string]any{
						"title": "A new one " + strconv.Itoa(i), "body": "Words and words and words.", "stock": 1, "series": "series 777",
						"category": "category 01", "region": "region 2", "views": 1, "publishedOn": "2026-01-01", "topics": []string{"topic 01"},
					}
				case 1:
					body["fields"] = map[string]any{"title": "A better one " + strconv.Itoa(i), "views": 2}
				default:
					body["published"] = true
				}
				sent := time.Now()
				data, err := c.server.request(ctx, b.site, method, path, body)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", c.name, name, err)
				}
				took = append(took, milliseconds(time.Since(sent)))
				var written struct{ ID int64 }
				if err := json.Unmarshal(data, &written); err != nil {
					return nil, err
				}
				ids[i] = written.ID
			}
			all[n] = append(all[n], cost{median(took), (load.CPU(c.server.pids...) - before) / float64(len(took))})
		}
	}
	return all, nil
}
