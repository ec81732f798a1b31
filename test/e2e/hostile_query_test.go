package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// attackFilters applies every operator to permitted and forbidden fields, by REST (where,
// or) and GraphQL. Both must respond alike.
func attackFilters(t *testing.T, s *site) {
	const unknown = "unknown field"
	for _, field := range []string{"secret", "pass", "nothing", "next.secret", "next.pass", "many.secret", "next.nothing", "next.next.secret", "next.next.pass", "next.next.nothing", "title.x", "tags.x", "pic", "Title", ".title", "next.", "id'--", "`id`", `"id"`, "id;--", "*", ""} {
		for _, op := range []string{"", "like", "not", "in", "not_in", "lt", "lte", "gt", "gte", "between", "not_between", "null", "not_null"} {
			if op == "" && field == "" {
				continue // REST: "where[]" is not a condition
			}
			value := map[string]string{"between": "a,b", "not_between": "a,b", "null": "true", "not_null": "true"}[op]
			if value == "" {
				value = "canary secret"
			}
			if field == "" {
				s.refusedByREST(t, field, op, value)
				continue
			}
			s.filter(t, field, op, value, -1, unknown)
		}
	}
	const exact = "exact in 64 bits"
	for _, c := range []struct {
		field, op, value string
		total            int    // -1 if refused
		fault            string // error text if refused
	}{
		{"title", "", "Alpha", 1, ""},
		{"title", "", "alpha", 0, ""},
		{"title", "", "", 0, ""},
		{"title", "like", "ALPHA", 1, ""},
		{"title", "like", "", 4, ""},
		{"title", "like", "%", 0, ""},
		{"title", "like", "_", 0, ""},
		{"title", "like", `\`, 0, ""},
		{"title", "", "x' OR '1'='1", 0, ""},
		{"title", "in", "Alpha,Beta,", 2, ""},
		{"title", "not", "Alpha", 3, ""},
		{"title", "LIKE", "a", -1, "unknown operator"},
		{"title", "eq", "a", -1, "unknown operator"},
		{"title", "in'--", "a", -1, "unknown operator"},
		{"title", "between", "a", -1, "two values"},
		{"title", "between", "a,b,c", -1, "two values"},
		{"title", "null", "false", -1, "no value, or true"},
		{"title", "", strings.Repeat("w", 4096), 0, ""},
		{"title", "", strings.Repeat("w", 4097), -1, "4096 bytes"},
		{"title", "", "שלום\u202e e\u0301", 0, ""},
		{"title", "lt", "😀", 4, ""},
		{"num", "", "1.0", 1, ""},
		{"num", "", "1e0", 1, ""},
		{"num", "", "9007199254740991", 0, ""},
		{"num", "", "9007199254740993", -1, exact},
		{"num", "gt", "1e400", -1, exact},
		{"num", "gt", "1e-400", -1, exact},
		{"num", "", "123456789123456.12345", -1, exact},
		{"num", "", "0.1000000000000000055511151231257827", -1, exact},
		{"num", "lt", "1e20", 2, ""},
		{"id", "in", "1e20,-1e20", 0, ""},
		{"num", "lt", "-1e400", -1, exact},
		{"num", "", "NaN", -1, "takes a number"},
		{"num", "", "Infinity", -1, "takes a number"},
		{"num", "", "0x10", -1, "takes a number"},
		{"num", "", "1_0", -1, "takes a number"},
		{"num", "", " 1", -1, "takes a number"},
		{"num", "", "", -1, "takes a number"},
		{"num", "like", "1", -1, "cannot be compared"},
		{"num", "between", "5,1", 0, ""},
		{"num", "between", "1,2.5", 2, ""},
		{"num", "not_between", "1,2", 1, ""},
		{"ok", "", "true", 1, ""},
		{"ok", "", "1", -1, "true or false"},
		{"ok", "gt", "false", -1, "cannot be compared"},
		{"day", "", "2020-01-02", 1, ""},
		{"day", "lt", "9999-12-31", 1, ""},
		{"day", "lt", "10000-01-01", -1, "takes a date"},
		{"day", "", "0000-01-01", -1, "takes a date"},
		{"day", "", "2020-02-30", -1, "takes a date"},
		{"at", "", "2020-01-02T04:04:05+01:00", 1, ""},
		{"at", "lt", "10000-01-01T00:00:00Z", -1, "takes a date and time"},
		{"at", "lt", "9999-12-31T23:59:59-01:00", -1, "takes a date and time"},
		{"at", "", "2020-01-02T3:04:05Z", -1, "takes a date and time"},
		{"at", "", "2020-01-02T03:04:05,5Z", -1, "takes a date and time"},
		{"at", "", "2020-01-02T03:04:05", -1, "takes a date and time"},
		{"clock", "", "03:04:00", 1, ""},
		{"clock", "", "24:00", -1, "takes a time"},
		{"extra", "", "1", -1, "cannot be compared"},
		{"extra", "not_null", "", 1, ""},
		{"tags", "", "y", 1, ""},
		{"tags", "not", "y", 3, ""},
		{"id", "", "0", 0, ""},
		{"id", "gt", "9223372036854775807", -1, exact},
		{"locale", "", "en", 4, ""},
		{"createdAt", "gt", "2020-01-01T00:00:00Z", 4, ""},
		{"next", "", "{alpha}", 1, ""},
		{"next", "", "0", -1, "takes an id"},
		{"next", "gt", "1", -1, "cannot be compared"},
		{"next.title", "", "Alpha", 1, ""},
		{"next.next", "null", "", 4, ""},
		// Relations must not reveal drafts, draft translations, trashed entries or other
		// projects.
		{"next", "", "{draft}", 0, ""},
		{"next", "in", "{draft},{german},{trashed},{foreign}", 0, ""},
		{"next", "not", "{draft}", 4, ""},
		{"many", "", "{draft}", 0, ""},
		{"many", "", "{alpha}", 2, ""},
		{"next", "not_null", "", 1, ""},
		{"next", "null", "", 3, ""},
		{"next.id", "", "{draft}", 0, ""},
		{"next.title", "like", "canary", 0, ""},
		{"next.title", "not_null", "", 1, ""},
		{"many.title", "like", "canary", 0, ""},
		{"many.num", "", "3", 0, ""},
	} {
		s.filter(t, c.field, c.op, s.fill(c.value), c.total, c.fault)
	}
}

// filter sends one condition by where, or and GraphQL, and checks the total, or the error
// text if total is -1.
func (s *site) filter(t *testing.T, field, op, value string, total int, fault string) {
	t.Helper()
	what := fmt.Sprintf("%s %s %.40q", field, op, value)
	suffix := "[" + field + "]"
	if op != "" {
		suffix += "[" + op + "]"
	}
	for _, form := range []string{"where", "or[0]"} {
		a := s.send(t, "read", "GET", "{pages}?count=true&"+param(form+suffix, value), "")
		if total < 0 {
			if p := wantProblem(t, a, 400); !strings.Contains(p.Detail, fault) {
				t.Errorf("%s: %s says %q, want %q", what, form, p.Detail, fault)
			}
		} else if got := decode[list](t, a); a.status != 200 || got.Meta.Total != total || len(got.Data) != total {
			t.Errorf("%s: %s found %d, want %d", what, form, got.Meta.Total, total)
		}
		if strings.Contains(string(a.body), `"canary`) || strings.Contains(string(a.body), "did you mean") {
			t.Errorf("%s: %s reveals a secret: %s", what, form, a.body)
		}
	}
	clause := map[string]any{"field": field, "value": value}
	if op != "" {
		clause["op"] = op
	}
	r := s.query(t, "read", `query($w:[WhereClauseInput!]){entries(collection:"pages",where:$w){totalCount items{id}}}`, map[string]any{"w": []any{clause}})
	if total < 0 {
		if r.code() != "BAD_USER_INPUT" || !strings.Contains(r.Errors[0].Message, fault) {
			t.Errorf("%s: GraphQL answered %s, want %q", what, r.body, fault)
		}
		return
	}
	if want := fmt.Sprintf(`"totalCount":%d,`, total); !strings.Contains(string(r.body), want) {
		t.Errorf("%s: GraphQL answered %s, want %s", what, r.body, want)
	}
}

// refusedByREST sends a condition that only REST can express.
func (s *site) refusedByREST(t *testing.T, field, op, value string) {
	t.Helper()
	wantProblem(t, s.send(t, "read", "GET", "{pages}?"+param("where["+field+"]["+op+"]", value), ""), 400)
}

// attackLists sends invalid values for every list parameter.
func attackLists(t *testing.T, s *site) {
	for _, query := range []string{
		"limit=0", "limit=501", "limit=-1", "limit=1.5", "limit=", "limit=1e2", "limit=%2B5", "limit=007", "limit=x", "limit=9223372036854775808",
		"limit=1&limit=2", "Limit=1", "offset=-1", "offset=9007199254740993", "offset=99999999999999999999", "unknown=1", "timestamps=1", "timestamps=TRUE", "count=yes", "count",
		"sort=", "sort=title:up", "sort=title:DESC", "sort=id;--", "sort=title,num,day,at", "sort=title,title", "sort=,", "sort=title:", "sort=:asc", "sort=-title", "sort=title%20desc",
		"sort=title:asc:desc", "sort=%27", "sort=%60id%60", "sort=title%00", "sort=secret", "sort=pass", "sort=next.title", "sort=next", "sort=tags", "sort=extra", "sort=Title", "sort=(select+1)",
		"state=drafts", "state=Published", "state=", "state=published&state=with_draft", "locale=", "locale=xx", "locale=en_US", "locale=e%00n", "locale=../en", "locale=*&locale=en",
		"where=x", "where[]=x", "where[title", "where[title]]=x", "where[title][like][x]=y", "where[title][]=x", "where[title][in]=", "where[title][in][x]=y", "where[title][like][]=a",
		"where[title]=a%00b", "where[title]=%ff", "where[title]=%ED%A0%80", "where[title]=%zz", "where[ti%00tle]=a", "%00=1", "=x", ";",
		"or[title]=x", "or[0]=x", "or[-1][title]=x", "or[a][title]=x", "or[99999999999999999999][title]=x", "or[][title]=x", "or[00][title]=x", "OR[0][title]=x", "or[0][title]=x&or[1][secret]=y",
	} {
		if p := wantProblem(t, s.send(t, "full", "GET", "{pages}?"+query, ""), 400); p.Detail == "" {
			t.Errorf("after %s", query)
		}
		if a := s.send(t, "full", "HEAD", "{pages}?"+query, ""); a.status != 400 {
			t.Errorf("HEAD with %s answered %d", query, a.status)
		}
	}
	for _, arguments := range []string{
		"limit:0", "limit:501", "limit:-1", "limit:2147483648", "offset:-1", "limit:1.5", `limit:"1"`, `sort:"title:up"`, `sort:"id;--"`, `sort:"secret"`, `sort:"pass:desc"`,
		`sort:"title,num,day,at"`, `sort:"next.title"`, `sort:"tags"`, `sort:"extra"`, `state:"drafts"`, `state:"Published"`, `locale:"xx"`, `locale:"en_US"`, `unknown:1`, `or:[]`,
		`where:[{field:"title",value:1}]`, `where:[{field:"num",value:9007199254740993}]`, `where:[{field:"num",value:1e400}]`, `where:[{field:"num",value:1e-400}]`, `where:[{field:"num",value:123456789123456.12345}]`, `where:[{field:"title",value:"a\u0000"}]`, `where:[{field:"title",value:"\ud800"}]`,
		`where:[{field:"title",value:{a:1}}]`, `where:[{field:"title"}]`, `where:[{value:"x"}]`, `where:[{field:"num",op:"in",value:[[1]]}]`, `where:[{field:"num",op:"in",value:[]}]`, `where:[{field:"title",value:["a"]}]`,
	} {
		r := s.query(t, "full", `{entries(collection:"pages",`+arguments+`){totalCount}}`, nil)
		if codes := []string{"BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"}; !slices.Contains(codes, r.code()) {
			t.Errorf("%s: %s", arguments, r.body)
		}
	}
	for _, collection := range []string{"nothing", "Pages", "pages%27", "1", "../pages", "%70ages%20"} {
		wantProblem(t, s.send(t, "full", "GET", "{P}/collections/"+strings.ReplaceAll(collection, "/", "%2F")+"/entries", ""), 404)
	}
	if r := s.query(t, "full", `{entries(collection:"nothing"){totalCount}}`, nil); r.code() != "NOT_FOUND" {
		t.Errorf("entries of no collection: %s", r.body)
	}
}

// attackCaps sends queries above the documented caps.
func attackCaps(t *testing.T, s *site) {
	many := func(n int) []string { return slices.Repeat([]string{"x"}, n) }
	started := time.Now()
	wantProblem(t, s.send(t, "read", "GET", "{pages}?where[title][in]="+strings.Repeat("x,", 500)+"x", ""), 400)
	wantProblem(t, s.send(t, "read", "GET", "{pages}?where[title][in]="+strings.Repeat("x,", 70_000), ""), 400)
	wantProblem(t, s.send(t, "read", "GET", "{pages}?"+strings.Repeat("where[title][in][]=x&", 20_000), ""), 400)
	wantProblem(t, s.send(t, "read", "GET", "{pages}?where[title][like]="+strings.Repeat("%25", 20_000), ""), 400)
	wantProblem(t, s.send(t, "read", "GET", "{pages}?"+strings.Repeat("where[num]=1&", 51), ""), 400)
	wantProblem(t, s.send(t, "read", "GET", "{pages}?where[num]="+strings.Repeat("9", 100_000), ""), 400)
	const query = `query($w:[WhereClauseInput!]){entries(collection:"pages",where:$w){totalCount}}`
	for name, where := range map[string]any{
		"501 values":       []any{map[string]any{"field": "title", "op": "in", "value": many(501)}},
		"70,000 values":    []any{map[string]any{"field": "title", "op": "in", "value": many(70_000)}},
		"20,000 wildcards": []any{map[string]any{"field": "title", "op": "like", "value": strings.Repeat("%_", 10_000)}},
		"51 clauses":       slices.Repeat([]any{map[string]any{"field": "num", "value": 1}}, 51),
		"long number":      []any{map[string]any{"field": "num", "value": json.Number(strings.Repeat("9", 100_000))}},
	} {
		if r := s.query(t, "read", query, map[string]any{"w": where}); r.code() != "BAD_USER_INPUT" {
			t.Errorf("%s: %.300s", name, r.body)
		}
	}
	lists := func(n, values int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "or[%d][many.title][not_in]=%s&", i, strings.Repeat("x,", values-1)+"y")
		}
		return b.String()
	}
	wantProblem(t, s.send(t, "read", "GET", "{pages}?"+lists(11, 500), ""), 400)
	if a := s.send(t, "read", "GET", "{pages}?count=true&"+lists(50, 100), ""); a.status != 200 || decode[list](t, a).Meta.Total != 4 {
		t.Errorf("the largest allowed number of values: %d %.300s", a.status, a.body)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("refusing took %v", took)
	}
	if r := s.query(t, "read", query, map[string]any{"w": []any{map[string]any{"field": "title", "op": "in", "value": append(many(499), "Alpha")}}}); !strings.Contains(string(r.body), `"totalCount":1`) {
		t.Errorf("500 values: %.300s", r.body)
	}
}

// attackDrafts searches every read route for content that is not public.
func attackDrafts(t *testing.T, s *site) {
	for _, state := range []string{"with_draft", "only_draft"} {
		for _, more := range []string{"", "&count=true", "&locale=*", "&locale=de", "&where[title]=x"} {
			wantProblem(t, s.send(t, "read", "GET", "{pages}?state="+state+more, ""), 403)
		}
		r := s.query(t, "read", `{entries(collection:"pages",state:"`+state+`"){totalCount}}`, nil)
		if r.code() != "FORBIDDEN" || r.Data != nil {
			t.Errorf("%s by GraphQL: %s", state, r.body)
		}
	}
	for _, path := range []string{
		"{P}/openapi.json", "{P}/collections", "{P}/collections/pages", "{pages}", "{pages}?locale=*&count=true&timestamps=true", "{pages}?locale=de", "{pages}?locale=de&where[locale]=de",
		"{pages}?sort=title", "{pages}?where[next][not_null]=", "{pages}/{alpha}", "{pages}/{delta}", "{pages}/{gamma}",
		"{P}", "{pages}?alternates=true&locale=*", "{pages}/{alpha}?alternates=true&locale=de",
		"{pages}?referrers=pages.next:20,pages.many,pages.rich:1&locale=*", "{pages}/{alpha}?referrers=pages.next", "{pages}/{alpha}/referrers", "{pages}/{delta}/referrers?collection=pages",
		"{P}/collections/pages/former", "{P}/collections/pages/former?after=&locale=de", "{pages}/counts?by=title&locale=*", "{pages}/counts?by=next", "{pages}/counts?by=many&locale=de", "{pages}/counts?by=tags&where[next][null]=",
		"{pages}?where[next.next.title][null]=", "{pages}?where[_group]={alpha}&locale=*&alternates=true",
	} {
		for _, token := range []string{"read", "full"} { // without state= the permission shows no drafts
			a := s.send(t, token, "GET", path, "")
			if a.status != 200 || strings.Contains(string(a.body), "canary") {
				t.Errorf("GET %s answered %d: %s", path, a.status, a.body)
			}
		}
	}
	for _, name := range []string{"draft", "german", "trashed", "foreign"} {
		wantProblem(t, s.send(t, "full", "GET", "{pages}/{"+name+"}", ""), 404)
		wantProblem(t, s.send(t, "full", "GET", "{pages}/{"+name+"}?locale=en", ""), 404)
		wantProblem(t, s.send(t, "full", "GET", "{pages}/{"+name+"}/referrers", ""), 404)
		if a := s.send(t, "full", "GET", "{pages}?locale=*&where[_group]={"+name+"}", ""); !strings.HasPrefix(string(a.body), `{"data":[],`) {
			t.Errorf("_group of entry %s answered %d: %s", name, a.status, a.body)
		}
		r := s.query(t, "full", fmt.Sprintf(`{entry(collection:"pages",id:%d){id data}}`, s.ids[name]), nil)
		if string(r.body) != `{"data":{"entry":null}}` {
			t.Errorf("entry %s: %s", name, r.body)
		}
	}
	for _, query := range []string{
		`{collections{slug fields{name type}}}`, `{entries(collection:"pages",locale:"*"){totalCount items{id locale data}}}`, `{entries(collection:"pages",locale:"de"){items{data}}}`,
	} {
		if r := s.query(t, "full", query, nil); len(r.Errors) > 0 || strings.Contains(string(r.body), "canary") {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	// With the permission and state=with_draft: drafts, but never hidden fields or the trash.
	a := s.send(t, "full", "GET", "{pages}?state=with_draft&locale=*&limit=500", "")
	for text, want := range map[string]bool{"canary draft": true, "canary german": true, "canary secret": false, "canary pass": false, "argon2": false, "canary trashed": false, "canary foreign": false} {
		if strings.Contains(string(a.body), text) != want {
			t.Errorf("with drafts, %q is found: %v", text, !want)
		}
	}
	// REST and GraphQL return the same bytes.
	one := s.send(t, "read", "GET", "{pages}/{delta}?timestamps=true", "")
	r := s.query(t, "read", fmt.Sprintf(`{entry(collection:"pages",id:%d,timestamps:true){data}}`, s.ids["delta"]), nil)
	if want := `{"data":{"entry":{"data":` + string(one.body) + `}}}`; string(r.body) != want {
		t.Errorf("GraphQL shows %s, REST %s", r.body, one.body)
	}
}
