package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"imprimatur/core/secret"
	"imprimatur/test/program"
)

// wellKnown is the path of the document of keys.
const wellKnown = "/.well-known/imprimatur-keys.json"

// keyDocument is the part of the document of keys that tests read.
type keyDocument struct {
	Installation string
	Keys         []struct {
		ID               string
		From             time.Time
		Until, RevokedAt *time.Time
	}
}

// keys returns the document of keys, which must be the same for the command and on the listener.
func (n *newsroom) keys(t *testing.T) (text string, document keyDocument) {
	t.Helper()
	out, diagnostics, err := program.Run(t, "", "keys", "show", "--database-url", n.database)
	if err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	served := n.mustSend(t, "", "GET", wellKnown, "", 200, "Origin: https://auditor.example")
	document = decode[keyDocument](t, served)
	var shown any
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatal(err)
	}
	if again := decode[any](t, served); fmt.Sprint(again) != fmt.Sprint(shown) {
		t.Fatalf("shown: %s\nserved: %s", out, served.body)
	}
	if served.header.Get("Access-Control-Allow-Origin") != "*" || strings.Contains(served.header.Get("Cache-Control"), "max-age=") {
		t.Errorf("headers: %v", served.header)
	}
	n.mustSend(t, "", "GET", wellKnown, "", 304, "If-None-Match: "+served.header.Get("Etag"))
	return out, document
}

// exitCode returns the exit code of a program that ended with err.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	ended, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return ended.ExitCode()
}

// TestKeys rotates and revokes keys while the service runs, and verifies proofs made before and
// after.
func TestKeys(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.submit(t, "story", "A story")
		n.approve(t, "story", 3)
		folder := t.TempDir()
		save := func(name, text string) string {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		prove := func(name string) string {
			return save(name, string(n.mustSend(t, "viewer", "GET", "{content}/{story}/publications/1/proof", "", 200).body))
		}
		command := func(args ...string) string {
			t.Helper()
			out, diagnostics, err := program.Run(t, "", append([]string{"keys"}, append(args, "--database-url", n.database)...)...)
			if err != nil {
				t.Fatalf("%v: %s", err, diagnostics)
			}
			return out
		}
		wantVerdict := func(code int, says string, args ...string) {
			t.Helper()
			out, diagnostics, err := program.Run(t, "", append([]string{"verify"}, args...)...)
			if got := exitCode(t, err); got != code || !strings.Contains(out+diagnostics, says) {
				t.Errorf("verify %v: exit code %d, want %d with %q: %s%s", args, got, code, says, out, diagnostics)
			}
		}
		served := n.base + wellKnown

		one := prove("one.json")
		text, first := n.keys(t)
		before := save("before.json", text)
		id := first.Keys[0].ID
		wantVerdict(0, "valid: publication 1 of entry", one, "--key", served)
		wantVerdict(0, "valid: publication 1 of entry", "--key", before, one)
		wantVerdict(2, "consistent, signed by "+id+"; name the key that you trust", one)
		wantVerdict(1, "setting --key: ", one, "--key", n.base+"/api/session")
		wantVerdict(1, "setting --key: ", one, "--key", one)

		command("rotate")
		two := prove("two.json")
		_, second := n.keys(t)
		if len(second.Keys) != 2 || !second.Keys[0].Until.Equal(second.Keys[1].From) || second.Installation != first.Installation {
			t.Fatalf("after a rotation: %+v", second)
		}
		wantVerdict(0, "valid", one, "--key", served)
		wantVerdict(0, "by "+second.Keys[1].ID, two, "--key", served)
		wantVerdict(1, "key.id is none of the trusted keys", two, "--key", before)

		command("revoke", id)
		wantVerdict(1, "key.id was revoked at ", one, "--key", served)
		wantVerdict(0, "valid", two, "--key", served)
		command("revoke", second.Keys[1].ID) // the present key: another follows
		three := prove("three.json")
		_, last := n.keys(t)
		if len(last.Keys) != 3 || last.Keys[0].RevokedAt == nil || last.Keys[1].RevokedAt == nil || last.Keys[2].RevokedAt != nil {
			t.Fatalf("after revocations: %+v", last)
		}
		wantVerdict(1, "key.id was revoked at ", two, "--key", served)
		wantVerdict(0, "valid", three, "--key", served)
		if _, diagnostics, err := program.Run(t, "", "keys", "revoke", "unknown", "--database-url", n.database); err == nil || !strings.Contains(diagnostics, "no signing key has the id unknown") {
			t.Errorf("an unknown key: %v: %s", err, diagnostics)
		}
		events, _, err := program.Run(t, "", "events", "export", "--database-url", n.database)
		for _, kind := range []string{"key.created", "key.ended", "key.revoked"} {
			if err != nil || !strings.Contains(events, `"type":"`+kind+`"`) {
				t.Errorf("%v: the events lack %s", err, kind)
			}
		}

		// Another secret key does not start, until the keys are rotated.
		n.process.Stop(t)
		other := secret.New().Encode()
		_, diagnostics, err := program.Run(t, "", "serve", "--database-url", n.database, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--secret-key", other)
		if err == nil || !strings.HasPrefix(diagnostics, "imprimatur: setting --secret-key: is not the key of this database") {
			t.Errorf("%v: %s", err, diagnostics)
		}
		command("rotate", "--secret-key", other, "--new-secret-key")
		_, base, _ := serve(t, n.database, "--secret-key", other)
		wantVerdict(0, "valid", three, "--key", base+wellKnown)
	})
}

// TestVerifyEscapes verifies a proof whose texts try to rewrite the terminal, and keys from hostile
// servers.
func TestVerifyEscapes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "proof.json")
	for _, text := range []string{
		`{"format":1,"\u001b[2J\u009b\u202e":1}`, `{"format":2,"\u001b]0;x\u0007":1}`, "{\"format\":1,\"\u009b31m\u202e\":1}",
		`{"format":2,"x\nvalid: publication 1 of entry 1\r\n":1}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, diagnostics, err := program.Run(t, "", "verify", file)
		if exitCode(t, err) != 1 || strings.ContainsAny(diagnostics, "\x1b\a\r\u009b\u202e") || strings.Count(diagnostics, "\n") != 1 {
			t.Errorf("%q: %v: %q", text, err, diagnostics)
		}
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(strings.Repeat(" ", 1<<16)))
		}
	}))
	defer endless.Close()
	_, diagnostics, err := program.Run(t, "", "verify", file, "--key", endless.URL)
	if exitCode(t, err) != 1 || !strings.Contains(diagnostics, "has more than 1048576 bytes") {
		t.Errorf("an endless document: %v: %s", err, diagnostics)
	}
}
