package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// attackRaces sends concurrent requests of which only one can succeed.
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
		"a single e-mail": {"", "POST", "/api/users", `{"email":"twin@x.example","name":"<client>","password":"` + password + `"}`, s.session, 201, 409},
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
			t.Errorf("%s: statuses %v, want one %d and the rest %d", name, statuses, c.won, c.lost)
		}
	}
}

// attackChanges concurrently changes different members of the same objects, and options of
// fields: no change is lost and none deadlocks.
func attackChanges(t *testing.T, s *site) {
	project := s.create(t, fmt.Sprintf("/tenants/%d/projects", s.tenant), `{"name":"Changed","locales":["en","de"]}`)
	at := fmt.Sprint("/projects/", project)
	token := s.create(t, at+"/tokens", `{"name":"Changed","abilities":["read"]}`)
	user := s.create(t, "/users", `{"email":"changed@x.example","name":"Changed","password":"`+password+`"}`)
	var fields []string
	for _, slug := range []string{"one", "two"} {
		id := s.create(t, at+"/collections", `{"slug":"`+slug+`","name":"Sizes","fields":[{"name":"size","type":"number"}]}`)
		fields = append(fields, fmt.Sprint(at, "/collections/", id))
	}
	for round := range 10 {
		even := round%2 == 0
		options := map[string]any{"hidden": even, "label": fmt.Sprint("Size ", round), "max": round, "required": !even}
		var running sync.WaitGroup
		var checks []func()
		for path, members := range map[string]map[string]any{
			fmt.Sprint("/users/", user):       {"name": fmt.Sprint("User ", round), "active": even, "superAdmin": !even},
			fmt.Sprint(at, "/tokens/", token): {"name": fmt.Sprint("Site ", round), "rateLimit": round, "allowDrafts": even},
			at:                                {"name": fmt.Sprint("Site ", round), "uploadLimit": 1000 + round, "defaultLocale": []string{"en", "de"}[round%2]},
			fields[0]:                         {"name": fmt.Sprint("Sizes ", round), "description": fmt.Sprint("Round ", round)},
			fields[0] + "/fields/size":        options,
			fields[1] + "/fields/size":        options,
		} {
			for name, value := range members {
				body := fmt.Sprintf(`{"%s":%s}`, name, toJSON(t, value))
				running.Go(func() {
					if a := call(t, "PATCH", s.base+"/api"+path, body, s.session...); a.status != 200 {
						t.Errorf("%s of %s answered %d: %s", body, path, a.status, a.body)
					}
				})
			}
			checks = append(checks, func() {
				whole, ofField := strings.CutSuffix(path, "/fields/size")
				found := decode[map[string]any](t, call(t, "GET", s.base+"/api"+whole, "", s.session...))
				if ofField {
					found = found["fields"].([]any)[0].(map[string]any)
				}
				for name, value := range members {
					if toJSON(t, found[name]) != toJSON(t, value) {
						t.Errorf("round %d: %s of %s is %v, want %v", round, name, path, found[name], value)
					}
				}
			})
		}
		running.Wait()
		for _, check := range checks {
			check()
		}
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
