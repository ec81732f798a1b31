package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestFailedSignInsCountOverProcesses fails alternately at two processes on one database.
// Both refuse the eleventh attempt with Retry-After, even with the right password, except from a
// browser in which the user has signed in before.
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
			try := func(i int, email, secret string, headers ...string) response {
				return call(t, "POST", bases[i]+"/api/session", fmt.Sprintf(`{"email":%q,"password":%q}`, email, secret), append(headers, "Origin: "+bases[i])...)
			}
			before := try(0, "root@example.com", password)
			var browser []string
			for _, cookie := range before.header.Values("Set-Cookie") {
				if name, _, _ := strings.Cut(cookie, ";"); strings.HasPrefix(name, "imprimatur_device=") {
					browser = append(browser, "Cookie: "+name)
				}
			}
			for i := range 10 {
				wantProblem(t, try(i%2, "root@example.com", "wrong"), 401)
			}
			for i := range bases {
				a := try(i, "root@example.com", password)
				wantProblem(t, a, 429)
				if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 15*60 {
					t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
				}
			}
			wantProblem(t, try(1, "unknown@example.com", "wrong"), 401) // the address is not locked out
			if a := try(1, "root@example.com", password, browser...); a.status != 200 {
				t.Errorf("the browser in which root has signed in before got %d: %s", a.status, a.body)
			}
		})
	}
}
