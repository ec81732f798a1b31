package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"imprimatur/test/program"
)

// TestSecondDemo starts demos beside a running one. They fail and leave its data, and the data of an
// earlier demo, as it is.
func TestSecondDemo(t *testing.T) {
	t.Parallel()
	first, facts := program.Demo(t)
	fails := func(dir, want string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		second := exec.CommandContext(ctx, program.Binary(), append([]string{"demo", "--ops-listen", "127.0.0.1:0"}, args...)...)
		second.Dir = dir
		if out, err := second.CombinedOutput(); err == nil || string(out) != "imprimatur: "+want+"\n" {
			t.Errorf("demo %v: %v\n%s", args, err, out)
		}
	}
	for _, args := range [][]string{{"--listen", "127.0.0.1:0"}, {"--listen", "127.0.0.1:0", "--keep"}} {
		fails(first.Dir, "another demo runs in var/demo; stop it first", args...)
	}

	earlier := t.TempDir()
	kept := filepath.Join(earlier, "var", "demo", "imprimatur.db")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(facts.BaseURL, "http://")
	fails(earlier, "setting --listen: cannot listen on "+address+": address already in use", "--listen", address)
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a demo that cannot listen removed the data: %v", err)
	}

	list := call(t, "GET", facts.BaseURL+"/public/v2/projects/"+facts.Projects.WorldDesk.UUID+"/media", "", "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly)
	var media struct{ Data []struct{ FullURL string } }
	if err := json.Unmarshal(list.body, &media); err != nil || len(media.Data) == 0 {
		t.Fatalf("%v: %s", err, list.body)
	}
	if file := call(t, "GET", media.Data[0].FullURL, ""); file.status != http.StatusOK {
		t.Errorf("a file of the first demo is answered with %d", file.status)
	}
	if _, err := os.Stat(filepath.Join(first.Dir, "var", "demo", "imprimatur.db")); err != nil {
		t.Error(err)
	}
}
