package write

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/peers"
)

// directusToken is the token that bench:peers gives Directus.
const directusToken = "the-bench-is-no-secret"

// startPeers starts the platforms with bench:peers. stop ends them.
func (o options) startPeers(ctx context.Context) (targets []target, stop func(), err error) {
	stop = func() {}
	if o.peers == "" {
		return nil, stop, nil
	}
	c := exec.CommandContext(ctx, os.Args[0], "peers", "-hold", "-peers", o.peers, "-articles", fmt.Sprint(o.articles))
	c.Stderr = os.Stderr
	input, err := c.StdinPipe()
	if err != nil {
		return nil, stop, err
	}
	output, err := c.StdoutPipe()
	if err != nil {
		return nil, stop, err
	}
	if err := c.Start(); err != nil {
		return nil, stop, err
	}
	stop = func() {
		_ = input.Close() // the peers then stop
		_ = c.Wait()
	}
	var started []struct {
		Peer, Name, Address string
		PIDs                []int
	}
	if err := json.NewDecoder(output).Decode(&started); err != nil {
		return nil, stop, fmt.Errorf("peers: %w", err)
	}
	for _, p := range started {
		create := createOf[p.Peer]
		if create == nil {
			return nil, stop, fmt.Errorf("no writes for the peer %q", p.Peer)
		}
		targets = append(targets, target{
			name: p.Name, imported: "–", server: p.PIDs[0], databases: p.PIDs[1:], status: http.StatusOK,
			create: func(a article.Article, published bool) (load.Request, error) {
				status := "draft"
				if published {
					status = "published"
				}
				return create(p.Address, a, status)
			},
		})
	}
	return targets, stop, nil
}

// createOf maps each peer to a function that returns the request to create an article.
var createOf = map[string]func(address string, a article.Article, status string) (load.Request, error){
	"pocketbase":     inPocketBase,
	peers.Guaranteed: inPocketBase,
	"directus": func(address string, a article.Article, status string) (load.Request, error) {
		body, err := withStatus(a, status)
		body = strings.Replace(body, `"publishedOn":`, `"published_on":`, 1)
		return load.NewRequest(address, "POST", "/items/articles", directusToken, body), err
	},
}

func inPocketBase(address string, a article.Article, status string) (load.Request, error) {
	body, err := withStatus(a, status)
	return load.NewRequest(address, "POST", "/api/collections/articles/records", "", body), err
}

// withStatus returns an article as JSON with a status.
func withStatus(a article.Article, status string) (string, error) {
	body, err := json.Marshal(struct {
		article.Article
		Status string `json:"status"`
	}{a, status})
	return string(body), err
}
