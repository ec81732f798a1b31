package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// textsInOrder are texts in their order: by the folded form, then by code point. Some are equal.
var textsInOrder = []string{
	"", "\u0001", " ", "-", "10", "9", "A", "a", "a\u0308", "Ä", "ä", "a b", "Äpfel", "apple", "apple", "Apples", "co-op", "coop", "cöop",
	"Fish", "fish", "ﬁsh", "I", "i", "İ", "ı", "STRASSE", "Strasse", "Straße", "Strassen", "Zebra", "zebra", "zebra", "zebra", "žebra",
	"Σίσυφος", "Ёж", "Ель", "Жук", "日本", "\uffff", "😀", "\U0010ffff",
}

// TestOrderOfTexts reads, filters and pages the same texts through every list, on both engines.
func TestOrderOfTexts(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			terms := s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"terms","name":"Terms","fields":[{"name":"slotted","type":"text"},
				{"name":"unindexed","type":"text","indexed":false},{"name":"several","type":"text","multiple":true}]}`)
			d := terminology{site: s, public: "{P}/collections/terms/entries", dashboard: fmt.Sprintf("{project}/collections/%d/content", terms)}
			d.write(t)
			for _, field := range []string{"slotted", "unindexed"} {
				t.Run(field, func(t *testing.T) {
					d.sorts(t, field)
					d.walks(t, field)
				})
			}
			for _, field := range []string{"slotted", "unindexed", "several"} {
				t.Run(field+" filters", func(t *testing.T) { d.filters(t, field) })
			}
		})
	}
}

// terminology is a collection with the texts, each in one entry and in all of its fields.
type terminology struct {
	*site
	public, dashboard string
	ids               []int // in the order of textsInOrder
}

// write creates the entries, equal texts in the order of their ids, and two without texts.
func (d *terminology) write(t *testing.T) {
	t.Helper()
	d.ids = make([]int, len(textsInOrder))
	add := func(texts map[string]any) int {
		body, err := json.Marshal(map[string]any{"published": true, "fields": texts})
		ok(t, err)
		a := d.send(t, "full", "POST", d.public, string(body))
		if a.status != 201 {
			t.Fatalf("answered %d: %s", a.status, a.body)
		}
		return decode[struct{ ID int }](t, a).ID
	}
	for n := range textsInOrder {
		i := n * 12 % len(textsInOrder) // 12 and the length are coprime
		text := textsInOrder[i]
		d.ids[i] = add(map[string]any{"slotted": text, "unindexed": text, "several": []string{text}})
	}
	for first := 0; first < len(d.ids); { // equal texts follow each other by id
		end := first
		for end < len(d.ids) && textsInOrder[end] == textsInOrder[first] {
			end++
		}
		slices.Sort(d.ids[first:end])
		first = end
	}
	d.ids = append(d.ids, add(map[string]any{}), add(map[string]any{}))
}

// idsOf returns the ids of the entries in a list of REST.
func idsOf(t *testing.T, a response) (ids []int) {
	t.Helper()
	if a.status != 200 {
		t.Errorf("answered %d: %s", a.status, a.body)
	}
	for _, entry := range decode[cursorPage](t, a).Data {
		ids = append(ids, entry.ID)
	}
	return ids
}

// graph returns the ids of the entries that GraphQL lists.
func (d *terminology) graph(t *testing.T, variables map[string]any) (ids []int) {
	t.Helper()
	const query = `query($where:[WhereClauseInput!],$sort:String,$limit:Int=100,$offset:Int){entries(collection:"terms",where:$where,sort:$sort,limit:$limit,offset:$offset){items{id}}}`
	r := d.query(t, "full", query, variables)
	if r.code() != "" {
		t.Errorf("GraphQL: %s", r.body)
	}
	for _, item := range decode[struct {
		Data struct {
			Entries struct {
				Items []struct {
					ID int `json:"id,string"`
				}
			}
		}
	}](t, r.response).Data.Entries.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

func (d *terminology) sorts(t *testing.T, field string) {
	texts, without := d.ids[:len(textsInOrder)], d.ids[len(textsInOrder):]
	descending := slices.Concat(texts, without)
	slices.Reverse(descending[:len(texts)])
	slices.Reverse(descending[len(texts):]) // nulls come last in both directions
	for direction, want := range map[string][]int{"": d.ids, ":asc": d.ids, ":desc": descending} {
		for door, got := range map[string][]int{
			"REST":          idsOf(t, d.send(t, "full", "GET", d.public+"?limit=100&sort="+field+direction, "")),
			"drafts":        idsOf(t, d.send(t, "full", "GET", d.public+"?limit=100&state=with_draft&sort="+field+direction, "")),
			"the dashboard": idsOf(t, call(t, "GET", d.base+d.fill(d.dashboard)+"?limit=100&sort="+field+direction, "", d.session...)),
			"GraphQL":       d.graph(t, map[string]any{"sort": field + direction}),
		} {
			if !slices.Equal(got, want) {
				t.Errorf("%s%s by %s: %v, want %v", field, direction, door, got, want)
			}
		}
	}
}

// walks reads the list in pages, by cursors and by offsets.
func (d *terminology) walks(t *testing.T, field string) {
	for _, size := range []int{1, 2, 7} {
		var byCursor, byOffset []int
		for after := ""; len(byCursor) <= len(d.ids); {
			a := d.send(t, "full", "GET", fmt.Sprintf("%s?sort=%s&limit=%d%s", d.public, field, size, after), "")
			byCursor = append(byCursor, idsOf(t, a)...)
			next := decode[cursorPage](t, a).Meta.Next
			if next == nil {
				break
			}
			after = "&after=" + *next
		}
		for len(byOffset) < len(d.ids) {
			page := d.graph(t, map[string]any{"sort": field, "limit": size, "offset": len(byOffset)})
			if len(page) == 0 {
				break
			}
			byOffset = append(byOffset, page...)
		}
		if !slices.Equal(byCursor, d.ids) || !slices.Equal(byOffset, d.ids) {
			t.Errorf("%s in pages of %d: by cursors %v, by offsets %v, want %v", field, size, byCursor, byOffset, d.ids)
		}
	}
}

// filters compares every text with every other one, by REST and by GraphQL.
func (d *terminology) filters(t *testing.T, field string) {
	for i, text := range textsInOrder {
		first, end := i, i+1 // of the texts that are equal to text
		for first > 0 && textsInOrder[first-1] == text {
			first--
		}
		for end < len(textsInOrder) && textsInOrder[end] == text {
			end++
		}
		last := min(end+3, len(textsInOrder)) - 1
		for last+1 < len(textsInOrder) && textsInOrder[last+1] == textsInOrder[last] {
			last++
		}
		all := d.ids[:len(textsInOrder)]
		for _, c := range []struct {
			op   string
			to   []string
			want []int
		}{
			{"", []string{text}, all[first:end]},
			{"not", []string{text}, slices.Concat(all[:first], all[end:], d.ids[len(textsInOrder):])},
			{"lt", []string{text}, all[:first]},
			{"lte", []string{text}, all[:end]},
			{"gt", []string{text}, all[end:]},
			{"gte", []string{text}, all[first:]},
			{"between", []string{text, textsInOrder[last]}, all[first : last+1]},
			{"not_between", []string{text, textsInOrder[last]}, slices.Concat(all[:first], all[last+1:])},
		} {
			d.finds(t, field, c.op, c.to, c.want)
		}
	}
}

// finds checks the entries, in any order, that meet a condition.
func (d *terminology) finds(t *testing.T, field, op string, to []string, want []int) {
	t.Helper()
	condition, clause := "where["+field+"]", map[string]any{"field": field, "value": to[0]}
	if op != "" {
		condition, clause["op"] = condition+"["+op+"]", op
	}
	query := url.Values{"limit": {"100"}, condition: to}
	if len(to) > 1 {
		query, clause["value"] = url.Values{"limit": {"100"}, condition + "[]": to}, to
	}
	rest := idsOf(t, d.send(t, "full", "GET", d.public+"?"+query.Encode(), ""))
	graph := d.graph(t, map[string]any{"where": []any{clause}})
	want = slices.Sorted(slices.Values(want))
	slices.Sort(rest)
	slices.Sort(graph)
	if !slices.Equal(rest, want) || !slices.Equal(graph, want) {
		t.Errorf("%s %s %q: REST %v, GraphQL %v, want %v", field, op, to, rest, graph, want)
	}
}

// TestLongestValues writes values of the maximum length and longer ones through every door.
func TestLongestValues(t *testing.T) {
	t.Parallel()
	const (
		asText   = "must be 1 character shorter to have at most 1000 bytes: use a field of type longtext for more"
		asFolded = "must be shorter to have at most 1000 bytes in the form by which it is sorted: use a field of type longtext for more"
		asURL    = "must be 1 character shorter to have at most 2000 bytes"
	)
	values := []struct{ field, value, fault string }{
		{"title", strings.Repeat("x", 1000), ""},
		{"title", strings.Repeat("é", 500), ""},
		{"title", strings.Repeat("각", 111), ""}, // a syllable has three bytes, and nine when folded
		{"title", strings.Repeat("x", 1001), asText},
		{"title", strings.Repeat("é", 500) + "!", asText},
		{"title", strings.Repeat("각", 112), asFolded},
		{"mark", strings.Repeat("x", 1000), ""},
		{"mark", strings.Repeat("x", 1001), asText},
		{"several", strings.Repeat("x", 1000), ""},
		{"several", strings.Repeat("x", 1001), asText},
		{"link", "https://example.org/" + strings.Repeat("x", 1980), ""},
		{"link", "https://example.org/" + strings.Repeat("x", 1981), asURL},
		{"story", strings.Repeat("각", 3000), ""},
		{"body", "<p>" + strings.Repeat("각", 3000) + "</p>", ""},
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			id := s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"limits","name":"Limits","fields":[{"name":"title","type":"text"},
				{"name":"mark","type":"slug"},{"name":"several","type":"text","multiple":true},{"name":"link","type":"url"},
				{"name":"story","type":"longtext"},{"name":"body","type":"richtext"}]}`)
			public, dashboard := "{P}/collections/limits/entries", fmt.Sprintf("{project}/collections/%d/content", id)
			entry := fmt.Sprint("/", decode[struct{ ID int }](t, s.send(t, "full", "POST", public, `{"fields":{}}`)).ID)
			for _, v := range values {
				var value any = v.value
				location := "fields." + v.field
				if v.field == "several" {
					value, location = []string{"short", v.value}, "fields.several[1]"
				}
				body, err := json.Marshal(map[string]any{"fields": map[string]any{v.field: value}})
				ok(t, err)
				for door, a := range map[string]response{
					"POST":                   s.send(t, "full", "POST", public, string(body)),
					"PATCH":                  s.send(t, "full", "PATCH", public+entry, string(body)),
					"POST of the dashboard":  call(t, "POST", s.base+s.fill(dashboard), string(body), s.session...),
					"PATCH of the dashboard": call(t, "PATCH", s.base+s.fill(dashboard)+entry, string(body), s.session...),
				} {
					what := fmt.Sprintf("%s of %s with %d bytes", door, v.field, len(v.value))
					if v.fault == "" {
						if a.status != 200 && a.status != 201 {
							t.Errorf("%s answered %d: %.300s", what, a.status, a.body)
						}
						continue
					}
					p := wantProblem(t, a, 422)
					if len(p.Errors) != 1 || p.Errors[0].Location != location || p.Errors[0].Message != v.fault {
						t.Errorf("%s: %v, want %s %s", what, p.Errors, location, v.fault)
					}
				}
				out, diagnostics, err := program.Run(t, string(body), "import", "--database-url", s.database, "--project", s.uuid, "--collection", "limits", "-")
				if (err == nil) != (v.fault == "") || v.fault != "" && !strings.Contains(out+diagnostics, v.field) || !strings.Contains(out+diagnostics, v.fault) {
					t.Errorf("import of %s with %d bytes: %v, %s%s", v.field, len(v.value), err, out, diagnostics)
				}
			}
			s.refusesLongDefinitions(t, asText, asFolded)
			s.limitsConditions(t, public)
		})
	}
}

// refusesLongDefinitions defines fields whose defaults, choices or minimums no value could meet.
func (s *site) refusesLongDefinitions(t *testing.T, asText, asFolded string) {
	t.Helper()
	for _, c := range []struct{ field, location, fault string }{
		{`{"name":"a","type":"text","default":"` + strings.Repeat("x", 1001) + `"}`, "fields[0].default", asText},
		{`{"name":"a","type":"enumeration","choices":["short","` + strings.Repeat("\ufdfa", 31) + `"]}`, "fields[0].choices[1]", asFolded},
		{`{"name":"a","type":"text","min":1001}`, "fields[0].min", "must be at most 1000"},
		{`{"name":"a","type":"url","min":2001}`, "fields[0].min", "must be at most 2000"},
		{`{"name":"a","type":"longtext","indexed":true}`, "fields[0].indexed", "is for values that compare"},
	} {
		a := call(t, "POST", fmt.Sprintf("%s/api/projects/%d/collections", s.base, s.project), `{"slug":"refused","name":"Refused","fields":[`+c.field+`]}`, s.session...)
		p := wantProblem(t, a, 422)
		if len(p.Errors) != 1 || p.Errors[0].Location != c.location || p.Errors[0].Message != c.fault {
			t.Errorf("%.80s: %v, want %s %s", c.field, p.Errors, c.location, c.fault)
		}
	}
}

// limitsConditions filters and sorts by texts that are not compared or not ordered.
func (s *site) limitsConditions(t *testing.T, public string) {
	t.Helper()
	for _, c := range []struct{ field, op, fault string }{
		{"story", "", `the field "story" of type longtext takes only like, null and not_null`},
		{"story", "not", "takes only like, null and not_null"}, {"story", "in", "takes only like, null and not_null"}, {"story", "gt", "takes only like, null and not_null"},
		{"body", "", `the field "body" of type richtext takes only like, null and not_null`},
		{"body", "not_in", "takes only like, null and not_null"}, {"body", "lte", "takes only like, null and not_null"},
		{"story", "like", ""}, {"body", "like", ""}, {"link", "like", ""}, {"link", "", ""}, {"link", "not", ""}, {"link", "in", ""},
		{"link", "lt", `the field "link" of type url cannot be compared with lt`}, {"link", "gte", "cannot be compared with gte"},
		{"title", "", ""}, {"title", "gt", ""}, {"mark", "lt", ""}, {"several", "gt", ""},
	} {
		condition, clause := "where["+c.field+"]", map[string]any{"field": c.field, "value": strings.Repeat("w", 4096)}
		if c.op != "" {
			condition, clause["op"] = condition+"["+c.op+"]", c.op
		}
		a := s.send(t, "full", "GET", public+"?"+param(condition, strings.Repeat("w", 4096)), "")
		r := s.query(t, "full", `query($w:[WhereClauseInput!]){entries(collection:"limits",where:$w){totalCount}}`, map[string]any{"w": []any{clause}})
		if c.fault == "" {
			if a.status != 200 || r.code() != "" {
				t.Errorf("%s %s: REST answered %d %s, GraphQL %s", c.field, c.op, a.status, a.body, r.body)
			}
			continue
		}
		if p := wantProblem(t, a, 400); !strings.Contains(p.Detail, c.fault) || r.code() != "BAD_USER_INPUT" || !strings.Contains(r.Errors[0].Message, c.fault) {
			t.Errorf("%s %s: REST says %q, GraphQL %s, want %q", c.field, c.op, p.Detail, r.body, c.fault)
		}
	}
	for _, field := range []string{"story", "body", "link", "several"} {
		p := wantProblem(t, s.send(t, "full", "GET", public+"?sort="+field, ""), 400)
		if len(p.Errors) != 1 || p.Errors[0].Location != "sort" || !strings.Contains(p.Detail, `cannot be sorted by "`+field+`"`) {
			t.Errorf("sort by %s: %s %v", field, p.Detail, p.Errors)
		}
		if r := s.query(t, "full", `{entries(collection:"limits",sort:"`+field+`"){totalCount}}`, nil); r.code() != "BAD_USER_INPUT" {
			t.Errorf("GraphQL sort by %s: %s", field, r.body)
		}
	}
}
