package deploy

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"imprimatur/test/program"
)

type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For string
			Labels           map[string]string
		}
	}
}

var metricName = regexp.MustCompile(`\bimprimatur_\w+`)

// stopped are the ages of work that a pause stops.
var stopped = map[string]bool{
	"imprimatur_publications_late_seconds": true, "imprimatur_outbox_age_seconds": true,
	"imprimatur_deliveries_late_seconds": true, "imprimatur_mails_age_seconds": true,
}

// TestAlerts checks that the program has every metric that a rule or the documentation names, and that each
// alert has a line that says what to do.
func TestAlerts(t *testing.T) {
	t.Parallel()
	documented := read(t, "../docs/operations.md")
	named := map[string]string{}
	for _, name := range metricName.FindAllString(documented, -1) {
		named[name] = "operations.md"
	}
	delete(named, "imprimatur_device") // a cookie
	alerts := 0
	for _, group := range decode[rules](t, read(t, "prometheus.rules.yaml")).Groups {
		for _, rule := range group.Rules {
			alerts++
			used := metricName.FindAllString(rule.Expr, -1)
			if len(used) == 0 || rule.Labels["severity"] == "" {
				t.Errorf("%s: no metric, or no severity", rule.Alert)
			}
			for _, name := range used {
				named[name] = rule.Alert
				if stopped[name] && !strings.HasSuffix(rule.Expr, " unless max(imprimatur_paused) == 1") {
					t.Errorf("%s fires while the installation is paused", rule.Alert)
				}
			}
			if !strings.Contains(documented, "\n| `"+rule.Alert+"` | ") {
				t.Errorf("operations.md does not say what to do about %s", rule.Alert)
			}
		}
	}
	if alerts == 0 {
		t.Fatal("there are no rules")
	}

	p := program.Launch(t, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--redis-url", "redis://127.0.0.1:1",
		"--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "imprimatur@example.org")
	ops := regexp.MustCompile(`operations on (http://\S+)\)`)
	p.Await(t, "the service", func() bool { return ops.MatchString(p.Output()) })
	response, err := http.Get(ops.FindStringSubmatch(p.Output())[1] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name, by := range named {
		if !regexp.MustCompile(`(?m)^` + name + `[{ ]`).Match(metrics) {
			t.Errorf("%s names %s, which the program does not have", by, name)
		}
	}
}
