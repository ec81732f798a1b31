package e2e

import "testing"

// TestProfiles: operators ask for profiles.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		status   int
	}{{nil, 404}, {[]string{"--ops-pprof"}, 200}} {
		_, base, ops := serve(t, databases(t)["SQLite"], c.settings...)
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine?debug=1"} {
			if a := call(t, "GET", ops+path, ""); a.status != c.status {
				t.Errorf("with %v %s answered %d, want %d", c.settings, path, a.status, c.status)
			}
			if a := call(t, "GET", base+path, ""); a.status != 404 {
				t.Errorf("%s of the public listener answered %d", path, a.status)
			}
		}
	}
}
