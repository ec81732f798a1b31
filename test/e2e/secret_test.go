package e2e

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"imprimatur/core/secret"
	"imprimatur/test/program"
)

// open opens a database that the program uses.
func open(t *testing.T, database string) *sql.DB {
	t.Helper()
	driver, address := "pgx", database
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, address = "sqlite", path+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// fingerprints returns all fingerprints of requests.
func fingerprints(t *testing.T, database string) (all [][]byte) {
	t.Helper()
	rows, err := open(t, database).QueryContext(t.Context(), "SELECT fingerprint FROM idempotency_keys")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var fingerprint []byte
		if err := rows.Scan(&fingerprint); err != nil {
			t.Fatal(err)
		}
		all = append(all, fingerprint)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFingerprints sends requests with passwords and an Idempotency-Key. The database keeps nothing
// of a sign-in or a change of a password, and no hash of another request without the secret key.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	const key = "Idempotency-Key: 0c0ffee0-5f9c2d3e"
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.headers(t, "viewer")
		for range 2 { // a key changes nothing here
			signedIn := n.mustSend(t, "", "POST", "/api/session", `{"email":"viewer@example.com","password":"`+password+`"}`, 200, key)
			if signedIn.header.Get("Set-Cookie") == "" || signedIn.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("a sign-in was replayed: %v", signedIn.header)
			}
			n.mustSend(t, "root", "PUT", fmt.Sprintf("/api/users/%d/password", n.users.ids["viewer"]), `{"new":"a second long password"}`, 204, key)
			n.mustSend(t, "root", "PUT", fmt.Sprintf("/api/users/%d/password", n.users.ids["viewer"]), `{"new":"`+password+`"}`, 204, key)
		}
		if kept := fingerprints(t, n.database); len(kept) != 0 {
			t.Fatalf("%d requests are kept", len(kept))
		}

		account := `{"tenantId":{tenant},"email":"once@example.com","name":"Once","password":"`
		first := n.mustSend(t, "root", "POST", "/api/users", account+`the first password"}`, 201, key)
		again := n.mustSend(t, "root", "POST", "/api/users", account+`another password"}`, 201, key)
		if again.header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(first.body, again.body) {
			t.Errorf("%s, then %s", first.body, again.body)
		}
		if p := wantProblem(t, n.send(t, "root", "POST", "/api/users", strings.Replace(account, "Once", "Twice", 1)+`the first password"}`, key), 422); p.Code != "idempotency_key_reused" {
			t.Errorf("another account under the key: %s", p.Code)
		}
		body := `{"fields":{"title":"Of mine","pass":"a password"}}`
		n.mustSend(t, "token full", "POST", "{public}", body, 201, key)
		n.mustSend(t, "token full", "POST", "{public}", body, 201, key)
		kept := fingerprints(t, n.database)
		if len(kept) != 2 {
			t.Fatalf("%d requests are kept, want 2", len(kept))
		}
		path := "/public/v2/projects/" + n.uuid + "/collections/articles/entries"
		for _, guess := range []string{"POST " + path + "\n" + body, body, "POST" + path + body, path + body} {
			if sum := sha256.Sum256([]byte(guess)); bytes.Equal(kept[0], sum[:]) || bytes.Equal(kept[1], sum[:]) {
				t.Errorf("the fingerprint is a hash of %q", guess)
			}
		}
	})
}

// TestSecretKey starts the program with and without a secret key.
func TestSecretKey(t *testing.T) {
	t.Parallel()
	at := databases(t)
	path := filepath.Join(filepath.Dir(strings.TrimPrefix(at["SQLite"], "sqlite:")), "imprimatur.key")
	var made []byte
	for range 2 {
		p, _, _ := serve(t, at["SQLite"])
		p.Stop(t)
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		key, err := os.ReadFile(path)
		if err != nil || made != nil && !bytes.Equal(made, key) {
			t.Fatalf("%v, or the key was replaced", err)
		}
		made = key
	}
	refused := func(want string, args ...string) {
		t.Helper()
		_, diagnostics, err := program.Run(t, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...)...)
		if err == nil || diagnostics != "imprimatur: setting --secret-key: "+want+"\n" {
			t.Errorf("%v: %s", err, diagnostics)
		}
	}
	const hint = "make a key with: openssl rand -base64 32"
	refused("must be set with Postgres, the same for all processes; "+hint, "--database-url", at["Postgres"], "--secret-key", "")
	p, _, _ := serve(t, at["Postgres"], "--secret-key", "@"+path)
	p.Stop(t)
	if err := os.WriteFile(path, []byte("half a k"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("the file "+path+" must be 32 bytes in base64; "+hint, "--database-url", at["SQLite"])
	if _, diagnostics, err := program.Run(t, password+"\n", "user", "create", "--email", "a@b.example", "--database-url", at["SQLite"]); err != nil {
		t.Errorf("a command that needs no key: %v: %s", err, diagnostics)
	}
}

// TestSecretKeyOfDatabase starts the program on a database with another key than before, and without
// its key file, when nothing was ever signed. It changes nothing.
func TestSecretKeyOfDatabase(t *testing.T) {
	t.Parallel()
	for engine, database := range databases(t) {
		first, other := secret.New().Encode(), secret.New().Encode()
		p, _, _ := serve(t, database, "--secret-key", first)
		p.Stop(t)
		serveFails := func(want string, args ...string) {
			t.Helper()
			_, diagnostics, err := program.Run(t, "", append([]string{"serve", "--database-url", database, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...)...)
			if err == nil || !strings.HasPrefix(diagnostics, "imprimatur: setting --secret-key: "+want) {
				t.Errorf("%s: %v: %s", engine, err, diagnostics)
			}
		}
		serveFails("is not the key of this database; ", "--secret-key", other)
		if _, diagnostics, err := program.Run(t, "", "keys", "show", "--database-url", database, "--secret-key", other); err == nil {
			t.Errorf("%s: a signing key was made under another secret key: %s", engine, diagnostics)
		}
		if path, file := strings.CutPrefix(database, "sqlite:"); file {
			key := filepath.Join(filepath.Dir(path), "imprimatur.key")
			serveFails("the file "+key+" is missing, ", "--secret-key", "")
			if _, err := os.Stat(key); err == nil {
				t.Error("another key was made")
			}
		}
		p, _, _ = serve(t, database, "--secret-key", first)
		p.Stop(t)
		rotate := []string{"keys", "rotate", "--database-url", database, "--secret-key", other}
		if _, diagnostics, err := program.Run(t, "", rotate...); err == nil || !strings.HasPrefix(diagnostics, "imprimatur: setting --secret-key: is not the key of this database; ") {
			t.Errorf("%s: keys rotate with a mistyped key: %v: %s", engine, err, diagnostics)
		}
		p, _, _ = serve(t, database, "--secret-key", first)
		p.Stop(t)
		if _, diagnostics, err := program.Run(t, "", append(rotate, "--new-secret-key")...); err != nil {
			t.Errorf("%s: %v: %s", engine, err, diagnostics)
		}
		serveFails("is not the key of this database; ", "--secret-key", first)
		p, _, _ = serve(t, database, "--secret-key", other)
		p.Stop(t)
	}
}
