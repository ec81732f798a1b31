package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// peers lists the compared platforms. Each function installs one, fills it with the
// articles and returns its servers: two if the peer has an optional cache.
var peers = []struct {
	name    string
	prepare func(context.Context, *bench) ([]*server, error)
}{
	{"pocketbase", preparePocketBase},
	{"postgraphile", preparePostGraphile},
	{"directus", prepareDirectus},
	{"strapi", prepareStrapi},
	{"payload", preparePayload},
}

// Guaranteed is a peer for writes: PocketBase with the guarantees of the program.
const Guaranteed = "pocketbase-guaranteed"

func peerNames() []string {
	names := make([]string, len(peers))
	for i, p := range peers {
		names[i] = p.name
	}
	return names
}

// prepareOf returns the function that prepares the peer of that name, or nil.
func prepareOf(name string) func(context.Context, *bench) ([]*server, error) {
	if name == Guaranteed {
		return prepareGuaranteed
	}
	for _, p := range peers {
		if p.name == name {
			return p.prepare
		}
	}
	return nil
}

// bringUp prepares the reference, the program and the named peers, starts them, and checks
// their responses.
func (b *bench) bringUp(ctx context.Context, names []string) error {
	prepare := []func(context.Context, *bench) ([]*server, error){prepareReference, prepareOurs}
	for _, name := range names {
		p := prepareOf(name)
		if p == nil {
			return fmt.Errorf("unknown peer %q, want one of %s", name, strings.Join(peerNames(), ", "))
		}
		prepare = append(prepare, p)
	}
	if _, err := b.install(ctx, "node"); err != nil {
		return err
	}
	for _, p := range prepare {
		servers, err := p(ctx, b)
		if err != nil {
			return err
		}
		b.servers = append(b.servers, servers...)
	}
	for _, s := range b.servers {
		if err := b.open(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// open starts a server and measures its cold start and its memory at rest.
func (b *bench) open(ctx context.Context, s *server) error {
	var err error
	if s.coldStart, err = s.start(ctx, s.forms[0].requests["Q3"]); err != nil {
		return err
	}
	if err := b.check(s); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	time.Sleep(3 * time.Second) // until it is idle
	s.idle, _ = load.Memory(s.process.Process.Pid)
	say("%s %s ready after %.2f s, %d MB", s.name, s.version, s.coldStart.Seconds(), s.idle>>20)
	return load.ForgetPeak(s.process.Process.Pid)
}

// middle returns the number of the article that Q3 reads by id.
func (b *bench) middle() int { return len(b.all) / 2 }

// get returns GET requests from paths with unescaped brackets, quotes and spaces.
func get(address string, paths map[string]string) map[string]load.Request {
	escape := strings.NewReplacer(" ", "%20", `"`, "%22", "[", "%5B", "]", "%5D", "$", "%24", ">", "%3E")
	requests := map[string]load.Request{}
	for name, path := range paths {
		requests[name] = load.NewRequest(address, "GET", escape.Replace(path), "", "")
	}
	return requests
}

// post returns GraphQL requests from queries.
func post(address, path string, queries map[string]string) map[string]load.Request {
	requests := map[string]load.Request{}
	for name, query := range queries {
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			panic(err) // a map of strings always encodes
		}
		requests[name] = load.NewRequest(address, "POST", path, "", string(body))
	}
	return requests
}

// needle and prefix are the search terms of Q6 and Q9, escaped for URLs.
var needle, prefix = url.QueryEscape(article.Needle), url.QueryEscape(article.Prefix)
