package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// program is the running program with a collection of articles.
type program struct {
	command      *exec.Cmd
	address, ops string
	path         string // of the entries
	uploads      string // path of media uploads
	token        string // with read and create abilities, without a rate limit
	postmaster   int    // process id of its database server, 0 for none
	projects     []*liveProject
}

// start fills the database and starts the program on it.
func start(ctx context.Context, o options, dir, database string) (*program, error) {
	articles, err := site.Fill(ctx, database, o.articles)
	if err != nil {
		return nil, err
	}
	project := "/public/v2/projects/" + articles.UUID
	p := &program{path: project + "/collections/articles/entries", uploads: project + "/media/upload"}
	if p.token, err = createToken(ctx, database, articles.UUID); err != nil {
		return nil, err
	}
	if strings.Contains(o.trials, "live") {
		if err := p.addProjects(ctx, o, database, &liveProject{path: project, token: p.token}); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(database, "postgres:") {
		if p.postmaster, err = load.Postmaster(ctx, database); err != nil {
			return nil, err
		}
		if err := vacuum(ctx, database); err != nil {
			return nil, err
		}
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
	// All requests differ, so the read cache would not be used.
	p.command = exec.CommandContext(ctx, o.binary, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", database, "--listen", p.address, "--ops-listen", p.ops,
		"--blob-url", "file:blobs", "--log-level", "error", "--read-cache-mb", "0")
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
	return nil, fmt.Errorf("the program does not accept connections: %w\n%s", err, text)
}

// vacuum updates statistics and visibility before the measurements.
func vacuum(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement has been answered
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

func (p *program) stop() {
	_ = p.command.Process.Kill() // it may have ended
	_ = p.command.Wait()
}

// createToken creates a token with read and create abilities.
func createToken(ctx context.Context, database, uuid string) (string, error) {
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

// get returns the bytes of a GET request.
func (p *program) get(query string) []byte {
	return fmt.Appendf(nil, "GET %s%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", p.path, query, p.address, p.token)
}

func (p *program) post(body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		p.path, p.address, p.token, len(body), body)
}

// mixed returns one of many requests, no two equal: mostly pages with their total from deep
// inside a sorted and filtered collection; one in twenty is a write.
func (p *program) mixed() []byte {
	if rand.N(20) == 0 {
		return p.post(fmt.Sprintf(`{"fields":{"title":"Pressed %d","views":%d,"category":"cat%02d"}}`, rand.Int64(), rand.N(100_000), rand.N(20)))
	}
	return p.get(fmt.Sprintf("?limit=100&count=true&sort=views:desc&offset=%d&where[views][gt]=%d", 2_000+rand.N(6_000), rand.N(30_000)))
}

// schedule creates entries that are due at intervals, starting at first.
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

// memory returns the anonymous memory of the process in megabytes before do, and its
// maximum while do runs. File mappings do not count, because the system can reclaim them.
func (p *program) memory(do func()) (before, most int64, err error) {
	if before, err = p.anonymous(); err != nil {
		return 0, 0, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		now, err := p.anonymous()
		if err != nil {
			return 0, 0, err
		}
		most = max(most, now)
		select {
		case <-done:
			return before, most, nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (p *program) anonymous() (megabytes int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	if _, err := fmt.Sscan(rest, &megabytes); err != nil {
		return 0, fmt.Errorf("the system does not report the program's memory: %w", err)
	}
	return megabytes >> 10, nil
}
