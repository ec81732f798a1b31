package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/test/bench/site"
)

const (
	perProject     = 1000 // connections that may listen to one Project
	mostLiveMemory = 400  // megabytes of the program with 10,000 listeners
	liveRounds     = 5    // entries that are published in each Project
	liveTimeout    = time.Minute
)

// liveProject is a Project to which connections listen.
type liveProject struct {
	path  string // of the Project
	token string
	since atomic.Int64 // when its last entry was published, in Unix nanoseconds
}

// addProjects adds as many Projects as o.listeners need.
func (p *program) addProjects(ctx context.Context, o options, database string, first *liveProject) error {
	p.projects = append(p.projects, first)
	for len(p.projects)*perProject < o.listeners {
		articles, err := site.Fill(ctx, database, 2)
		if err != nil {
			return err
		}
		token, err := createToken(ctx, database, articles.UUID)
		if err != nil {
			return err
		}
		p.projects = append(p.projects, &liveProject{path: "/public/v2/projects/" + articles.UUID, token: token})
	}
	return nil
}

// live has many connections listen to changes. Every second one stops to read after the first event, as one whose peer
// is gone; the others must hear of each publication.
func live(_ context.Context, p *program, o options) ([]finding, error) {
	f := finding{what: fmt.Sprintf("%d listeners, half of them dead", o.listeners)}
	var all []net.Conn
	var times []time.Duration
	before, most, err := p.memory(func() { all, times = p.listen(o.listeners, &f) })
	if err != nil {
		return nil, err
	}
	for _, conn := range all {
		_ = conn.Close() // the program may have closed it
	}
	// Each place is free again. Those of dead connections are found by writing to them.
	started := time.Now()
	for n := 0; n < o.listeners; {
		conn, _, err := p.projects[n/perProject%len(p.projects)].connect(p.address)
		switch {
		case err == nil:
			n += perProject
			_ = conn.Close()
			continue
		case time.Since(started) > liveTimeout:
			f.report("a place is not free: %v", err)
			n = o.listeners
			continue
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.result = fmt.Sprintf("%d events, p50 %v, p99 %v after the publication; memory %d MB, at most %d MB", len(times), quantile(times, 50), quantile(times, 99), before, most)
	if most > mostLiveMemory {
		f.report("%d MB of memory", most)
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.result)
	return []finding{f}, nil
}

// listen opens the connections, publishes, and returns how long each event took.
func (p *program) listen(many int, f *finding) (all []net.Conn, times []time.Duration) {
	var mu sync.Mutex
	var opening, reading sync.WaitGroup
	heard := make(chan time.Duration, many)
	slots := make(chan struct{}, 64)
	for n := range many {
		project := p.projects[n/perProject]
		slots <- struct{}{}
		opening.Go(func() {
			defer func() { <-slots }()
			conn, lines, err := project.connect(p.address)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				f.report("connection %d: %v", n, err)
				return
			}
			all = append(all, conn)
			if n%2 == 0 {
				reading.Go(func() { project.read(lines, heard) })
			}
		})
	}
	opening.Wait()
	expected := (many + 1) / 2
	for range liveRounds {
		for n, project := range p.projects {
			project.since.Store(time.Now().UnixNano())
			if err := project.publish(p.address); err != nil {
				f.report("publication in Project %d: %v", n, err)
			}
		}
		timeout := time.After(liveTimeout)
		for n := 0; n < expected; n++ {
			select {
			case took := <-heard:
				times = append(times, took)
			case <-timeout:
				f.report("%d of %d connections heard nothing", expected-n, expected)
				n = expected
			}
		}
	}
	return all, times
}

// connect begins to listen, and returns what follows the first event.
func (l *liveProject) connect(address string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, nil, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(liveTimeout)) // a connection that is open takes it
	_, err = fmt.Fprintf(conn, "GET %s/changes/live HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", l.path, address, l.token)
	lines := bufio.NewReaderSize(conn, 1<<10)
	for err == nil {
		var line string
		if line, err = lines.ReadString('\n'); strings.HasPrefix(line, "HTTP/1.1 ") && !strings.HasPrefix(line, "HTTP/1.1 200 ") {
			err = errors.New(strings.TrimSpace(line))
		}
		if strings.HasPrefix(line, "event: hello") {
			return conn, lines, conn.SetReadDeadline(time.Time{})
		}
	}
	_ = conn.Close() // the error before counts
	return nil, nil, err
}

// read sends how long after its publication each entry was heard of, until the connection ends.
func (l *liveProject) read(lines *bufio.Reader, heard chan<- time.Duration) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if strings.HasPrefix(line, "data:") && strings.Contains(line, `"put"`) {
			heard <- time.Duration(time.Now().UnixNano() - l.since.Load())
		}
	}
}

// publish creates a public entry.
func (l *liveProject) publish(address string) error {
	c := &client{address: address}
	defer c.close()
	in := &program{path: l.path + "/collections/articles/entries", address: address, token: l.token}
	a, err := c.do(in.post(`{"published":true,"fields":{"title":"Live"}}`))
	if err == nil && a.status != http.StatusCreated {
		err = fmt.Errorf("answered %d", a.status)
	}
	return err
}
