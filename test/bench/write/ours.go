package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// target is a measured server.
type target struct {
	name      string
	imported  string       // cell of the import
	inserted  string       // cell of the same rows, inserted
	server    int          // process
	start     func() error // again, after stop
	stop      func()
	databases []int  // processes of the database; none: it is part of the server
	profiles  string // address of the CPU profiles; empty: none
	status    int    // of the response to a successful create
	create    func(a article.Article, published bool) (load.Request, error)
	// change returns a request that replaces the body of one draft; nil: not measured.
	change func(body string) (load.Request, error)
	// entries returns the ids of the first articles; nil: no import beside editors.
	entries     func(count int) ([]int64, error)
	edit        func(id int64, body string) (load.Request, error)
	databaseURL string
	project     string // UUID
}

// requests returns requests for new articles, whose slugs begin with series.
func (o options) requests(t target, series string, published bool) ([]load.Request, error) {
	requests := make([]load.Request, 0, o.writes)
	return requests, article.Each(o.writes, func(a article.Article) error {
		a.Slug = "new-" + series + "-" + a.Slug
		request, err := t.create(a, published)
		requests = append(requests, request)
		return err
	})
}

// importing fills a database of the program and returns the site and the cell of the table.
func (o options) importing(ctx context.Context, name, databaseURL string, servers []int) (s site.Site, cell string, err error) {
	if err := site.Migrate(ctx, databaseURL); err != nil {
		return s, "", err
	}
	finish := func() error { return nil }
	if o.profile != "" {
		if finish, err = profileSelf(o.profilePath(name + "-import")); err != nil {
			return s, "", err
		}
	}
	began, all, database := time.Now(), load.CPU(append([]int{os.Getpid()}, servers...)...), load.CPU(servers...)
	s, err = site.Fill(ctx, databaseURL, o.articles)
	count := float64(o.articles)
	all, database = load.CPU(append([]int{os.Getpid()}, servers...)...)-all, load.CPU(servers...)-database
	cell = fmt.Sprintf("%.0f (%.3f", count/time.Since(began).Seconds(), (all-database)/count)
	if len(servers) > 0 {
		cell += fmt.Sprintf(" + %.3f", database/count)
	}
	return s, cell + ")", errors.Join(err, finish())
}

// serve fills a database and starts the program on it. servers are the processes of the
// database, if any.
func (o options) serve(ctx context.Context, name, databaseURL string, servers ...int) (t target, stop func(), err error) {
	stop = func() {}
	s, imported, err := o.importing(ctx, name, databaseURL, servers)
	if err != nil {
		return t, stop, err
	}
	inserted, err := o.inserts(ctx, databaseURL, servers)
	if err != nil {
		return t, stop, fmt.Errorf("inserts: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return t, stop, err
	}
	token, err := exec.CommandContext(ctx, program, profiled.Command, "", "token", "create", "--database-url", databaseURL, "--log-level", "error",
		"--project", s.UUID, "--name", "writer", "--ability", "read", "--ability", "create", "--ability", "update", "--allow-drafts").Output()
	if err != nil {
		return t, stop, fmt.Errorf("token: %w", err)
	}
	address, err := load.FreeAddress()
	if err != nil {
		return t, stop, err
	}
	profiles, err := load.FreeAddress()
	if err != nil {
		return t, stop, err
	}
	var server *exec.Cmd
	stop = func() {
		if server != nil && server.Process != nil {
			_ = server.Process.Kill() // it may have ended
			_ = server.Wait()
		}
	}
	entries, bearer := "/public/v2/projects/"+s.UUID+"/collections/articles/entries", strings.TrimSpace(string(token))
	start := func() error {
		server = exec.CommandContext(ctx, program, profiled.Command, profiles, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", databaseURL, "--blob-url", "mem://", "--listen", address,
			"--ops-listen", "127.0.0.1:0", "--log-level", "error", "--rate-limit", "0")
		server.Stderr = os.Stderr
		if err := server.Start(); err != nil {
			return err
		}
		return load.Await(load.NewRequest(address, "GET", entries, bearer, ""), 30*time.Second)
	}
	if err := start(); err != nil {
		return t, stop, err
	}
	t = target{name: name, imported: imported, inserted: inserted, server: server.Process.Pid, start: start, stop: stop, databases: servers, profiles: profiles, status: http.StatusCreated,
		databaseURL: databaseURL, project: s.UUID}
	t.create = func(a article.Article, published bool) (load.Request, error) {
		body := map[string]any{"fields": a}
		if published {
			body["published"] = true
		}
		text, err := json.Marshal(body)
		return load.NewRequest(address, "POST", entries, bearer, string(text)), err
	}
	t.entries, t.edit = editing(address, entries, bearer)
	t.change, err = changing(address, entries, bearer)
	return t, stop, err
}

// changing creates a draft and returns a function that changes it.
func changing(address, entries, bearer string) (func(body string) (load.Request, error), error) {
	status, response, err := load.Once(load.NewRequest(address, "POST", entries, bearer, `{"fields": {"title": "A draft", "slug": "a-draft"}}`))
	if err != nil || status != http.StatusCreated {
		return nil, fmt.Errorf("draft: %d %.300s %w", status, response, err)
	}
	var draft struct{ ID int64 }
	if err := json.Unmarshal(response, &draft); err != nil {
		return nil, err
	}
	path := fmt.Sprintf("%s/%d?check=draft", entries, draft.ID)
	return func(body string) (load.Request, error) {
		text, err := json.Marshal(map[string]any{"fields": map[string]string{"body": body}})
		return load.NewRequest(address, http.MethodPatch, path, bearer, string(text)), err
	}, nil
}

// profileSeconds is the length of a CPU profile.
const profileSeconds = 4

// startProfile writes a CPU profile of the next profileSeconds to path. finish waits for it.
func startProfile(ctx context.Context, profiles, path string) (finish func() error) {
	done := make(chan error, 1)
	go func() {
		err := os.MkdirAll(filepath.Dir(path), 0o750)
		if err == nil {
			err = profiled.Save(ctx, profiles, profileSeconds, path)
		}
		done <- err
	}()
	return func() error { return <-done }
}

// profileSelf writes a CPU profile of this process to path until finish is called.
func profileSelf(path string) (finish func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}

// profilePath returns the path of the profile of the measurement title.
func (o options) profilePath(title string) string {
	return filepath.Join(o.profile, strings.NewReplacer(" ", "-", ",", "").Replace(title)+".pprof")
}

// bringUp starts every target. stop ends them, also after an error.
func (o options) bringUp(ctx context.Context) (targets []target, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, end := range stops {
			end()
		}
	}
	for engine := range strings.SplitSeq(o.engines, ",") {
		var t target
		var end func()
		switch engine {
		case "sqlite":
			t, end, err = o.serve(ctx, "SQLite", "sqlite:"+filepath.Join(o.dir, "bench.db"))
		case "postgres":
			var postmaster int
			if o.postgres == "" {
				if o.postgres, err = postgrestest.Database(ctx); err != nil {
					return targets, stop, err
				}
			}
			if postmaster, err = load.Postmaster(ctx, o.postgres); err != nil {
				return targets, stop, err
			}
			t, end, err = o.serve(ctx, "Postgres", o.postgres, postmaster)
		default:
			return targets, stop, fmt.Errorf("no engine %q", engine)
		}
		stops, targets = append(stops, end), append(targets, t)
		if err != nil {
			return targets, stop, fmt.Errorf("%s: %w", engine, err)
		}
	}
	others, end, err := o.startPeers(ctx)
	stops = append(stops, end)
	return append(targets, others...), stop, err
}
