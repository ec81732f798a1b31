package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// attackValues writes values at the limits of each field type, with a token and with a
// session.
func attackValues(t *testing.T, s *site) {
	dashboard := fmt.Sprintf("/api/projects/%d/collections/%d/content", s.project, s.values)
	word := strings.Repeat("w", 1000)
	for _, c := range []struct {
		fields string // request
		want   string // in the response; "" if refused
		fault  string // error location; "" for 400
	}{
		{`"title":""`, `"title":""`, ""},
		{`"title":"` + word + `"`, `"title":"` + word + `"`, ""},
		{`"title":"` + word + `w"`, "", "fields.title"},
		{`"title":"\ud83d\ude00 שלום e\u0301 ẞ"`, "\"title\":\"😀 שלום e\u0301 ẞ\"", ""},
		{`"title":"a\u0000b"`, "", "fields.title"},
		{`"title":"\ud800"`, "", "fields.title"},
		{`"title":"\udc00"`, "", "fields.title"},
		{`"title":5`, "", "fields.title"},
		{`"title":["a"]`, "", "fields.title"},
		{`"num":9007199254740991`, `"num":9007199254740991`, ""},
		{`"num":9007199254740993`, "", "fields.num"},
		{`"num":9007199254740992`, `"num":9007199254740992`, ""},
		{`"num":123456789123456.12345`, "", "fields.num"},
		{`"num":1e-400`, "", "fields.num"},
		{`"num":0.1000000000000000055511151231257827`, "", "fields.num"},
		{`"num":1.10`, `"num":1.1`, ""},
		{`"num":1e400`, "", "fields.num"},
		{`"num":-1e400`, "", "fields.num"},
		{`"num":1E2`, `"num":100`, ""},
		{`"num":-0.0`, `"num":0`, ""},
		{`"num":0.30000000000000004`, `"num":0.30000000000000004`, ""},
		{`"num":5e-324`, `"num":5e-324`, ""},
		{`"num":"1"`, "", "fields.num"},
		{`"num":NaN`, "", ""},
		{`"num":01`, "", ""},
		{`"ok":1`, "", "fields.ok"},
		{`"ok":"true"`, "", "fields.ok"},
		{`"day":"0001-01-01"`, `"day":"0001-01-01"`, ""},
		{`"day":"9999-12-31"`, `"day":"9999-12-31"`, ""},
		{`"day":"10000-01-01"`, "", "fields.day"},
		{`"day":"0000-01-01"`, "", "fields.day"},
		{`"day":"2021-02-29"`, "", "fields.day"},
		{`"at":"2020-01-02T03:04:05+05:30"`, `"at":"2020-01-01T21:34:05.000Z"`, ""},
		{`"at":"9999-12-31T23:59:59-01:00"`, "", "fields.at"},
		{`"at":"10000-01-01T00:00:00Z"`, "", "fields.at"},
		{`"at":"2020-01-02T3:04:05Z"`, "", "fields.at"},
		{`"at":"2020-01-02T03:04:05,5Z"`, "", "fields.at"},
		{`"at":"2020-01-02T03:04:05+24:00"`, "", "fields.at"},
		{`"clock":"24:00"`, "", "fields.clock"},
		{`"mail":"a b@c"`, "", "fields.mail"},
		{`"mail":"a@localhost"`, "", "fields.mail"},
		{`"mail":"info@münchen.example"`, `"mail":"info@münchen.example"`, ""},
		{`"extra":{"b":1,"a":[{"z":null}]}`, `"extra":{"a":[{"z":null}],"b":1}`, ""},
		{`"extra":{"a":"\u0000"}`, "", "fields.extra.a"},
		{`"extra":9007199254740993`, "", "fields.extra"},
		{`"extra":{"a":[1e-400]}`, "", "fields.extra"},
		{`"extra":{"a":123456789123456.12345}`, "", "fields.extra"},
		{`"extra":{"a":1,"a":2}`, "", ""},
		{`"extra":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "", ""},
		{`"rich":"<p>x<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:x'>y</a></p>"`, `"rich":"<p>x<img src=\"x\"><a>y</a></p>"`, ""},
		{`"tags":["a",null]`, "", "fields.tags[1]"},
		{`"tags":"a"`, "", "fields.tags"},
		{`"pass":""`, "", "fields.pass"},
		{`"pass":"` + word + word + `"`, "", "fields.pass"},
		{`"next":{foreign}`, "", "fields.next"},
		{`"next":999999`, "", "fields.next"},
		{`"next":"{alpha}"`, "", "fields.next"},
		{`"next":9007199254740993`, "", "fields.next"},
		{`"many":[{alpha},{alpha}]`, "", "fields.many[1]"},
		{`"many":[{alpha},{foreign}]`, "", "fields.many[1]"},
		{`"id":5`, "", "fields.id"},
		{`"publishedAt":"2020-01-01T00:00:00Z"`, "", "fields.publishedAt"},
		{`"Title":"x"`, "", "fields.Title"},
		{`"__proto__":{}`, "", "fields.__proto__"},
		{`"title":"x","title":"y"`, "", ""},
		{`"ti\u0074le":"x","title":"y"`, "", ""},
	} {
		for credential, a := range map[string]response{
			"token":   s.send(t, "full", "POST", "{values}", `{"fields":{`+c.fields+`}}`),
			"session": s.send(t, "", "POST", dashboard, `{"fields":{`+c.fields+`}}`, s.session...),
		} {
			what := fmt.Sprintf("%.80s by %s", c.fields, credential)
			switch {
			case c.want != "":
				if a.status != 201 || !strings.Contains(string(a.body), c.want) {
					t.Errorf("%s answered %d, want %.80s: %.500s", what, a.status, c.want, a.body)
				}
			case c.fault == "":
				if p := wantProblem(t, a, 400); p.Code != "malformed_json" {
					t.Errorf("%s: %s", what, a.body)
				}
			default:
				p := wantProblem(t, a, 422)
				if len(p.Errors) != 1 || p.Errors[0].Location != c.fault {
					t.Errorf("%s: %s, want an error at %s", what, a.body, c.fault)
				}
			}
		}
	}
	// All errors are reported at once. To a token, a hidden field is unknown.
	const wrong = `{"fields":{"num":"x","day":"x","nothing":1,"pass":5,"secret":"x"}}`
	a := s.send(t, "full", "POST", "{values}", wrong)
	if p := wantProblem(t, a, 422); len(p.Errors) != 5 || p.Errors[4].Location != "fields.secret" || p.Errors[4].Message != "no such field" {
		t.Errorf("want five errors: %s", a.body)
	}
	// Nor do they show what an editor typed into a hidden field.
	a = s.send(t, "", "POST", "{content}", `{"fields":{"num":"x","secret":["canary"]}}`, s.session...)
	if p := wantProblem(t, a, 422); len(p.Errors) != 2 || strings.Contains(string(a.body), "canary") {
		t.Errorf("want two errors without values: %s", a.body)
	}
}

// attackBodies sends malformed bodies. They must not change the entry.
func attackBodies(t *testing.T, s *site) {
	target := s.send(t, "full", "POST", "{values}", `{"fields":{"title":"untouched"}}`)
	own := fmt.Sprintf("{values}/%v", decode[map[string]any](t, target)["id"])
	for _, c := range []struct {
		body   string
		status int
	}{
		{"", 400}, {"{", 400}, {"[]", 422}, {"null", 422}, {`"x"`, 422}, {"NaN", 400}, {"\ufeff{}", 400}, {`{'fields':{}}`, 400}, {`{"fields":{},}`, 400}, {`{"fields":{}}{}`, 400}, {`{"fields":{}} x`, 400},
		{`{"fields":[]}`, 422}, {`{"fields":"x"}`, 422}, {`{"Fields":{"title":"x"}}`, 400}, {`{"PUBLISHED":true}`, 400}, {`{"fields":{},"fields":{}}`, 400}, {`{"published":false,"published":true}`, 400}, {`{"published":true,"publ\u0069shed":false}`, 400},
		{`{"projectId":1,"fields":{"title":"x"}}`, 422}, {`{"status":"published","fields":{"title":"x"}}`, 422}, {`{"state":"published"}`, 422}, {`{"publishedAt":"2020-01-01T00:00:00Z","createdBy":1}`, 422},
		{`{"id":1}`, 422}, {`{"version":7}`, 422}, {`{"collectionId":1}`, 422}, {`{"translationGroup":1}`, 422}, {`{"trashedAt":null}`, 422}, {`{"title":"x"}`, 422}, {`{"published":1}`, 422}, {`{"published":"true"}`, 422},
		{`{"publishAt":"10000-01-01T00:00:00Z","published":true}`, 422}, {`{"publishAt":"soon","published":true}`, 422}, {`{"locale":5}`, 422}, {`{"locale":"xx"}`, 422}, {`{"locale":"*"}`, 422},
		{`{"translationOf":"1"}`, 422}, {`{"translationOf":{foreign},"locale":"de"}`, 422}, {`{"translationOf":999999,"locale":"de"}`, 422}, {`{"translationOf":{trashed},"locale":"de"}`, 422}, {`{"translationOf":-1,"locale":"de"}`, 422},
		{`{"translationOf":9007199254740993,"locale":"de"}`, 422}, {"{\"fields\":{\"title\":\"\xff\"}}", 400}, {`{"fields":{"title":"` + strings.Repeat("x", 4<<20) + `"}}`, 413},
	} {
		for method, path := range map[string]string{"POST": "{values}", "PATCH": own} {
			wantProblem(t, s.send(t, "full", method, path, c.body), c.status)
			if t.Failed() {
				t.Fatalf("after %s %.80s", method, c.body)
			}
		}
	}
	const body = `{"fields":{"title":"x"}}`
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "text/json", "application/jsonp", ""} {
		if kind == "" {
			wantProblem(t, s.send(t, "full", "PATCH", own, body, "Content-Encoding: gzip"), 415)
			continue
		}
		a := s.sendTyped(t, "PATCH", own, body, kind)
		wantProblem(t, a, 415)
	}
	wantProblem(t, s.send(t, "full", "PATCH", own+"?published=true", body), 400)
	wantProblem(t, s.send(t, "full", "DELETE", own, body), 422)
	wantProblem(t, s.send(t, "full", "DELETE", own+"?force=true", ""), 400)
	a := s.send(t, "full", "PATCH", own, `{}`)
	var after struct {
		Version int
		State   string
		Fields  struct{ Title string }
	}
	if err := json.Unmarshal(a.body, &after); err != nil || after.Version != 1 || after.State != "draft" || after.Fields.Title != "untouched" {
		t.Errorf("the entry was changed: %s", a.body)
	}
}

// attackConditional sends conditional reads and writes with ETags of every form.
func attackConditional(t *testing.T, s *site) {
	for _, path := range []string{"{pages}", "{pages}/{alpha}", "{P}/collections", "/public/v2/graphql?query=%7Bcollections%7Bslug%7D%7D"} {
		first := s.send(t, "read", "GET", path, "")
		tag := first.header.Get("ETag")
		for given, want := range map[string]int{
			tag: 304, "W/" + tag: 304, "*": 304, `"x", ` + tag: 304, `"x"`: 200, strings.Trim(tag, `"`): 200, `"`: 200,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				a := s.send(t, "read", method, path, "", "If-None-Match: "+given)
				if a.status != want || a.header.Get("ETag") != tag || want == 304 && len(a.body) > 0 {
					t.Errorf("%s %s with If-None-Match %s answered %d", method, path, given, a.status)
				}
			}
		}
		if a := s.send(t, "create", "GET", path, "", "If-None-Match: "+tag); a.status != 403 || a.header.Get("ETag") != "" {
			t.Errorf("%s without the read ability answered %d with %q", path, a.status, a.header.Get("ETag"))
		}
		if vary := first.header.Get("Vary"); !strings.Contains(vary, "Authorization") || !strings.Contains(first.header.Get("Cache-Control"), "private") {
			t.Errorf("%s may be cached for other callers", path)
		}
	}
	made := s.send(t, "full", "POST", "{values}", `{"fields":{"num":1}}`)
	own := fmt.Sprintf("{values}/%v", decode[map[string]any](t, made)["id"])
	if made.header.Get("ETag") != `"1"` {
		t.Errorf("the first version's tag is %q", made.header.Get("ETag"))
	}
	for given, want := range map[string]int{
		`"0"`: 412, `"2"`: 412, `W/"1"`: 412, `"x"`: 412, `"01"`: 412, `"-1"`: 412, `"99999999999999999999"`: 412, `"2", W/"1"`: 412, `1`: 400, `"1" "2"`: 400, `"`: 400,
	} {
		wantProblem(t, s.send(t, "full", "PATCH", own, `{"fields":{"num":2}}`, "If-Match: "+given), want)
		wantProblem(t, s.send(t, "full", "DELETE", own, "", "If-Match: "+given), want)
	}
	if a := s.send(t, "full", "PATCH", own, `{"fields":{"num":2}}`, `If-Match: "9"`, `If-Match: "8", "1"`); a.status != 200 || a.header.Get("ETag") != `"2"` {
		t.Errorf("the current ETag answered %d %s", a.status, a.body)
	}
	wantProblem(t, s.send(t, "full", "PATCH", own, `{"fields":{"num":3}}`, `If-Match: "1"`), 412)
	if a := s.send(t, "full", "DELETE", own, "", `If-Match: "2"`); a.status != 204 {
		t.Errorf("deleting answered %d", a.status)
	}
	made = s.send(t, "full", "POST", "{values}", `{"published":true,"fields":{"num":1}}`)
	public := fmt.Sprintf("{values}/%v", decode[map[string]any](t, made)["id"])
	for _, query := range []string{"", "?timestamps=true", "?fields=num", "?depth=0", "?depth=2&fields=num,next.title&timestamps=true"} {
		tag := s.send(t, "read", "GET", public+query, "").header.Get("ETag")
		if a := s.send(t, "full", "PATCH", public, `{"fields":{"num":`+fmt.Sprint(2+len(query))+`}}`, "If-Match: "+tag); a.status != 200 {
			t.Errorf("the ETag of a read answered %d %s", a.status, a.body)
		}
		wantProblem(t, s.send(t, "full", "PATCH", public, `{"fields":{"num":7}}`, "If-Match: "+tag), 412)
		wantProblem(t, s.send(t, "full", "DELETE", public, "", "If-Match: W/"+s.send(t, "read", "GET", public+query, "").header.Get("ETag")), 412)
	}
	s.refusesOutdatedReads(t, public)
	// A token that may not read must not learn a value by guessing its ETag.
	tag := s.send(t, "read", "GET", public+"?fields=num", "").header.Get("ETag")
	wantProblem(t, s.send(t, "update", "PATCH", public, `{}`, "If-Match: "+tag), 412)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		wantProblem(t, s.send(t, "full", method, own, map[string]string{"PATCH": "{}"}[method], `If-Match: *`), 404)
	}
}

// refusesOutdatedReads requires that the ETag of a read does not permit to overwrite a draft that
// readers do not see, and that one request names few reads.
func (s *site) refusesOutdatedReads(t *testing.T, public string) {
	t.Helper()
	seen := s.send(t, "read", "GET", public, "").header.Get("ETag")
	id := public[strings.LastIndex(public, "/")+1:]
	draft := fmt.Sprintf("/api/projects/%d/collections/%d/content/%s", s.project, s.values, id)
	if a := call(t, "PATCH", s.base+draft, `{"keepPublished":true,"fields":{"num":99}}`, s.session...); a.status != 200 {
		t.Fatalf("saving a draft answered %d: %s", a.status, a.body)
	}
	wantProblem(t, s.send(t, "full", "PATCH", public, `{"fields":{"num":7}}`, "If-Match: "+seen), 412)
	wantProblem(t, s.send(t, "full", "DELETE", public, "", "If-Match: "+seen), 412)
	if a := s.send(t, "full", "PATCH", public, `{"published":true}`); a.status != 200 {
		t.Fatalf("publishing answered %d: %s", a.status, a.body)
	}
	tag := func(query string) string { return s.send(t, "read", "GET", public+query, "").header.Get("ETag") }
	wantProblem(t, s.send(t, "full", "PATCH", public, `{}`, "If-Match: "+strings.Join([]string{tag("?depth=0"), tag("?depth=2"), tag("?depth=3")}, ", ")), 400)
	others := strings.Join([]string{`"1.bnVt..false"`, `"2.bnVt..false"`, tag("?fields=num"), `"3.bnVt..false"`}, ", ")
	if a := s.send(t, "full", "PATCH", public, `{}`, "If-Match: "+others); a.status != 200 {
		t.Errorf("the current tag among others answered %d %s", a.status, a.body)
	}
}
