package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/site"
)

// program is the program as it serves the articles.
type program struct {
	command      *exec.Cmd
	address, ops string
	path         string // of the entries
	token        string // may read and create, without a rate limit
}

// start fills the database and starts the program on it.
func start(ctx context.Context, o options, binary, dir, database string) (*program, error) {
	articles, err := site.Fill(ctx, database, o.articles)
	if err != nil {
		return nil, err
	}
	p := &program{path: "/public/v2/projects/" + articles.UUID + "/collections/articles/entries"}
	if p.token, err = issue(ctx, database, articles.UUID); err != nil {
		return nil, err
	}
	for _, address := range []*string{&p.address, &p.ops} {
		if *address, err = load.FreeAddress(); err != nil {
			return nil, err
		}
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	// What is asked for here differs each time, so that no answer is kept anyway.
	p.command = exec.CommandContext(ctx, binary, "serve", "--database-url", database, "--listen", p.address, "--ops-listen", p.ops,
		"--blob-url", "mem://", "--log-level", "error", "--read-cache-mb", "0")
	p.command.Dir, p.command.Stdout, p.command.Stderr = dir, log, log
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.DialTimeout("tcp", p.address, time.Second); err == nil {
			return p, conn.Close()
		}
	}
	p.stop()
	text, err := os.ReadFile(log.Name())
	return nil, fmt.Errorf("it does not serve: %w\n%s", err, text)
}

func (p *program) stop() {
	_ = p.command.Process.Kill() // it may have ended
	_ = p.command.Wait()
}

// issue makes a token that may read and create.
func issue(ctx context.Context, database, uuid string) (string, error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = database, "error"
	var tokens *access.Tokens
	var schemas ports.Schemas
	stop, err := service.Use(ctx, cfg, &tokens, &schemas)
	if err != nil {
		return "", err
	}
	defer stop()
	project, err := schemas.ProjectByUUID(ctx, uuid)
	if err != nil {
		return "", err
	}
	_, secret, err := tokens.Create(ctx, core.Actor{System: true}, project, access.TokenInput{
		Name: "pressure", Abilities: []core.Ability{core.AbilityRead, core.AbilityCreate}, RateLimit: new(0),
	})
	return secret, err
}

// get returns a request as it goes over the wire.
func (p *program) get(query string) []byte {
	return fmt.Appendf(nil, "GET %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", p.path, query, p.address, p.token)
}

func (p *program) post(body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		p.path, p.address, p.token, len(body), body)
}

// mixed returns one of many requests, no two the same: pages with their total, for the
// most part from far down a sorted and filtered collection; one in twenty writes.
func (p *program) mixed() []byte {
	if rand.N(20) == 0 {
		return p.post(fmt.Sprintf(`{"fields":{"title":"Pressed %d","views":%d,"category":"cat%02d"}}`, rand.Int64(), rand.N(100_000), rand.N(20)))
	}
	return p.get(fmt.Sprintf("?limit=100&count=true&sort=views:desc&offset=%d&where[views][gt]=%d", 2_000+rand.N(6_000), rand.N(30_000)))
}

// schedule has entries published one after the other, apart from each other, from
// first on.
func (p *program) schedule(many int, first time.Time, apart time.Duration) error {
	c := &client{address: p.address}
	defer c.close()
	for n := range many {
		due := first.Add(time.Duration(n) * apart).UTC().Format("2006-01-02T15:04:05.000Z")
		a, err := c.do(p.post(fmt.Sprintf(`{"published":true,"publishAt":%q,"fields":{"title":"Due %d"}}`, due, n)))
		if err != nil || a.status != http.StatusCreated {
			return fmt.Errorf("scheduling answered %d, %w", a.status, err)
		}
	}
	return nil
}

var (
	lateAll    = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_count (\d+)$`)
	lateInTime = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_bucket\{le="1"\} (\d+)$`)
)

// lateness returns how many publications went out since the start, and how many of
// them within a second of their time.
func (p *program) lateness(ctx context.Context) (all, inTime int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.ops+"/metrics", nil)
	if err != nil {
		return 0, 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, 0, err
	}
	for pattern, value := range map[*regexp.Regexp]*int{lateAll: &all, lateInTime: &inTime} {
		found := pattern.FindSubmatch(text)
		if found == nil {
			return 0, 0, errors.New("the metrics do not tell how late publications are")
		}
		if *value, err = strconv.Atoi(string(found[1])); err != nil {
			return 0, 0, err
		}
	}
	return all, inTime, nil
}

// memory returns the resident memory of the process in megabytes.
func (p *program) memory() int64 {
	now, _ := load.Memory(p.command.Process.Pid)
	return now >> 20
}

// peak returns the most of it while do ran.
func (p *program) peak(do func()) (most int64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		most = max(most, p.memory())
		select {
		case <-done:
			return most
		case <-time.After(100 * time.Millisecond):
		}
	}
}
