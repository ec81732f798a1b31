package e2e

import (
	"encoding/json"
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

// attackDefinitions changes the options of one field, and those of another collection
// of the Project, side by side: none undoes another, and none waits for what waits for it.
func attackDefinitions(t *testing.T, s *site) {
	project := s.make(t, fmt.Sprintf("/tenants/%d/projects", s.tenant), `{"name":"Defined"}`)
	all := fmt.Sprintf("/projects/%d/collections", project)
	var paths []string
	for _, slug := range []string{"one", "two"} {
		id := s.make(t, all, `{"slug":"`+slug+`","name":"Sizes","fields":[{"name":"size","type":"number"}]}`)
		paths = append(paths, fmt.Sprint(s.base, "/api", all, "/", id))
	}
	for round := range 10 {
		want := fmt.Sprintf(`{"hidden":%t,"label":"Size %d","max":%d,"required":%t}`, round%2 == 0, round, round, round%3 == 0)
		var options map[string]json.RawMessage
		if err := json.Unmarshal([]byte(want), &options); err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		for _, path := range paths {
			for name, value := range options {
				running.Go(func() {
					if a := call(t, "PATCH", path+"/fields/size", fmt.Sprintf(`{"%s":%s}`, name, value), s.own...); a.status != 200 {
						t.Errorf("to set %s answered %d: %s", name, a.status, a.body)
					}
				})
			}
		}
		running.Wait()
		for _, path := range paths {
			fields := decode[struct{ Fields []map[string]json.RawMessage }](t, call(t, "GET", path, "", s.own...)).Fields
			for name, value := range options {
				if string(fields[0][name]) != string(value) {
					t.Errorf("round %d: %s is %s, want %s", round, name, fields[0][name], value)
				}
			}
		}
	}
}
