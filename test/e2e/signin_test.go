package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"imprimatur/test/program"
)

// TestFailedSignInsCountOverProcesses fails alternately at two processes on one database.
// Both refuse the eleventh attempt with Retry-After, even with the right password.
func TestFailedSignInsCountOverProcesses(t *testing.T) {
	t.Parallel()
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at := []string{"--database-url", database}
			if _, diagnostics, err := program.Run(t, "", append([]string{"migrate", "up"}, at...)...); err != nil {
				t.Fatalf("%v: %s", err, diagnostics)
			}
			if _, diagnostics, err := program.Run(t, password+"\n", append([]string{"user", "create", "--email", "root@example.com", "--super-admin"}, at...)...); err != nil {
				t.Fatalf("%v: %s", err, diagnostics)
			}
			bases := make([]string, 2)
			for i := range bases {
				_, bases[i], _ = serve(t, database)
			}
			try := func(i int, email, secret string) response {
				return call(t, "POST", bases[i]+"/api/session", fmt.Sprintf(`{"email":%q,"password":%q}`, email, secret), "Origin: "+bases[i])
			}
			for i := range 9 {
				wantProblem(t, try(i%2, "root@example.com", "wrong"), 401)
			}
			if a := try(0, "root@example.com", password); a.status != 200 {
				t.Fatalf("after nine failures the right password answered %d: %s", a.status, a.body)
			}
			wantProblem(t, try(1, "unknown@example.com", "wrong"), 401) // the tenth failure from this address
			for i := range bases {
				a := try(i, "root@example.com", password)
				wantProblem(t, a, 429)
				if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 15*60 {
					t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
				}
			}
		})
	}
}
