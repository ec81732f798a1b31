package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// heldServer describes a started platform to another benchmark.
type heldServer struct {
	Peer    string // its name among the peers
	Name    string // its title
	Address string
	PIDs    []int // the server, and the database server if it has one
}

// hold starts the named peers without response caches, prints them as JSON, and waits for the end
// of standard input.
func (b *bench) hold(ctx context.Context, names []string) error {
	var started []heldServer
	if _, err := b.install(ctx, "node"); err != nil {
		return err
	}
	for _, name := range names {
		prepare := prepareOf(name)
		if prepare == nil {
			return fmt.Errorf("no peer %q: %s", name, strings.Join(peerNames(), ", "))
		}
		servers, err := prepare(ctx, b)
		if err != nil {
			return err
		}
		s := servers[0]
		b.servers = append(b.servers, s)
		if _, err := s.start(ctx, s.forms[0].requests["Q3"]); err != nil {
			return err
		}
		started = append(started, heldServer{Peer: name, Name: strings.TrimSuffix(s.name, ", cache off") + " " + s.version, Address: s.address, PIDs: s.pids()})
	}
	if err := json.NewEncoder(os.Stdout).Encode(started); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
