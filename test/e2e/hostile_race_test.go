package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// attackRaces does side by side what only one can do.
func attackRaces(t *testing.T, s *site) {
	create := func() string {
		a := s.send(t, "full", "POST", "{values}", `{"fields":{"title":"first"}}`)
		return fmt.Sprint(decode[map[string]any](t, a)["id"])
	}
	s2 := *s
	s2.tokens = map[string]string{"full": s.tokens["full"], "one": s.token(t, s.project, `"abilities":["read"],"rateLimit":1`)}
	for name, c := range map[string]struct {
		token, method, path, body string
		header                    []string
		won, lost                 int
	}{
		"one version":     {"full", "PATCH", "{values}/" + create(), `{"fields":{"title":"next","tags":["by <client>"]}}`, []string{`If-Match: "1"`}, 200, 412},
		"a unique value":  {"full", "POST", "{values}", `{"fields":{"code":"only","title":"by <client>"}}`, nil, 201, 422},
		"a translation":   {"full", "POST", "{values}", `{"translationOf":` + create() + `,"locale":"de","fields":{}}`, nil, 201, 422},
		"the trash":       {"full", "DELETE", "{values}/" + create(), "", nil, 204, 404},
		"a last request":  {"one", "GET", "{pages}", "", nil, 200, 429},
		"a single e-mail": {"", "POST", "/api/users", `{"email":"twin@x.example","name":"<client>","password":"` + password + `"}`, s.own, 201, 409},
	} {
		const clients = 6
		statuses := [clients]int{}
		var running sync.WaitGroup
		for i := range clients {
			body := strings.ReplaceAll(c.body, "<client>", fmt.Sprint(i))
			running.Go(func() { statuses[i] = s2.send(t, c.token, c.method, c.path, body, c.header...).status })
		}
		running.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		if count[c.won] != 1 || count[c.lost] != clients-1 {
			t.Errorf("%s: answered %v, want %d once and else %d", name, statuses, c.won, c.lost)
		}
	}
}
