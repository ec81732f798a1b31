package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"imprimatur/app/demo"
	"imprimatur/test/program"
)

// clause is one condition in a form that both transports can express.
type clause struct {
	Field string `json:"field"`
	Op    string `json:"op,omitempty"`
	Value any    `json:"value"` // string or list of strings
}

// question is one read in a form that both transports can express.
type question struct {
	where          []clause
	sort, locale   string
	offset, limit  int
	timestamps     bool
	token, project string
}

// TestTransportsAgree sends random reads of the demo countries through REST and GraphQL:
// both return the same bytes and total, or both refuse.
func TestTransportsAgree(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	rapid.Check(t, func(r *rapid.T) {
		q := drawQuestion(r, facts)
		restEntries, restTotal := q.overREST(t, facts.BaseURL)
		graphEntries, graphTotal := q.overGraphQL(t, facts.BaseURL)
		if restTotal != graphTotal || len(restEntries) != len(graphEntries) {
			r.Fatalf("%s\nREST has %d of %d, GraphQL %d of %d", q, len(restEntries), restTotal, len(graphEntries), graphTotal)
		}
		for i := range restEntries {
			if !bytes.Equal(restEntries[i], graphEntries[i]) {
				r.Fatalf("%s\nREST    %s\nGraphQL %s", q, restEntries[i], graphEntries[i])
			}
		}
	})
}

// drawQuestion draws fields of every kind, mostly with existing values, sometimes with
// wrong fields or values.
func drawQuestion(r *rapid.T, facts demo.Facts) question {
	values := map[string][]string{
		"name": {"Germany", "Allemagne", "日本", "İ", ""}, "code": {"CHE", "FRA", "zzz"}, "region": {"Africa", "Asia", "Europe"},
		"area": {"0", "1000", "41284", "1e6", "many"}, "landlocked": {"true", "false", "perhaps"},
		"languages": {"French", "German"}, "borders": {"1", "99", "100000"}, "borders.code": {"CHE", "DEU"}, "borders.area": {"500000"},
		"locale": {"en", "fr"}, "id": {"7", "250"}, "publishedAt": {"2020-01-01T00:00:00Z"}, "latlng": {"1"}, "nothing": {"1"},
	}
	fields := []string{"name", "code", "region", "area", "landlocked", "languages", "borders", "borders.code", "borders.area", "locale", "id", "publishedAt", "latlng", "nothing"}
	ops := []string{"", "", "like", "not", "in", "not_in", "lt", "lte", "gt", "gte", "between", "not_between", "null", "not_null", "near"}
	q := question{
		sort:       rapid.SampledFrom([]string{"", "name", "area:desc", "region,area:desc", "landlocked:desc,name", "publishedAt", "borders", "x"}).Draw(r, "sort"),
		locale:     rapid.SampledFrom([]string{"", "en", "fr", "de", "ja", "pt", "fr-CA", "*", "xx"}).Draw(r, "locale"),
		offset:     rapid.SampledFrom([]int{0, 0, 3, 240, 600}).Draw(r, "offset"),
		limit:      rapid.SampledFrom([]int{1, 5, 20}).Draw(r, "limit"),
		timestamps: rapid.Bool().Draw(r, "timestamps"),
		token:      facts.Tokens.WorldDesk.ReadOnly, project: facts.Projects.WorldDesk.UUID,
	}
	for range rapid.IntRange(0, 3).Draw(r, "clauses") {
		field := rapid.SampledFrom(fields).Draw(r, "field")
		c := clause{Field: field, Op: rapid.SampledFrom(ops).Draw(r, "op"), Value: rapid.SampledFrom(values[field]).Draw(r, "value")}
		switch c.Op {
		case "in", "not_in", "between", "not_between":
			c.Value = []string{c.Value.(string), rapid.SampledFrom(values[field]).Draw(r, "second")}
		case "null", "not_null":
			c.Value = "true"
		}
		same := func(other clause) bool { return other.Field == c.Field && other.Op == c.Op }
		if _, list := c.Value.([]string); list && slices.ContainsFunc(q.where, same) {
			continue // a query string joins them to one list
		}
		q.where = append(q.where, c)
	}
	return q
}

// overREST returns the entries' bytes and the total, or a total of -1 if refused.
func (q question) overREST(t *testing.T, base string) ([]json.RawMessage, int) {
	query := url.Values{"count": {"true"}, "limit": {strconv.Itoa(q.limit)}, "offset": {strconv.Itoa(q.offset)}, "timestamps": {strconv.FormatBool(q.timestamps)}}
	for name, value := range map[string]string{"sort": q.sort, "locale": q.locale} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for _, c := range q.where {
		name := "where[" + c.Field + "]"
		if c.Op != "" {
			name += "[" + c.Op + "]"
		}
		switch value := c.Value.(type) {
		case string:
			query.Add(name, value)
		case []string:
			for _, v := range value {
				query.Add(name+"[]", v)
			}
		}
	}
	a := call(t, "GET", base+"/public/v2/projects/"+q.project+"/collections/countries/entries?"+query.Encode(), "", "Authorization: Bearer "+q.token)
	if a.status == 400 {
		return nil, -1
	}
	if a.status != 200 {
		t.Fatalf("%s: REST answered %d: %s", q, a.status, a.body)
	}
	got := decode[struct {
		Data []json.RawMessage
		Meta struct{ Total int }
	}](t, a)
	return got.Data, got.Meta.Total
}

// overGraphQL is overREST through the other transport.
func (q question) overGraphQL(t *testing.T, base string) ([]json.RawMessage, int) {
	variables := map[string]any{"where": q.where, "limit": q.limit, "offset": q.offset, "timestamps": q.timestamps}
	if q.where == nil {
		variables["where"] = []clause{}
	}
	for name, value := range map[string]string{"sort": q.sort, "locale": q.locale} {
		if value != "" {
			variables[name] = value
		}
	}
	body, err := json.Marshal(map[string]any{
		"query": `query ($where: [WhereClauseInput!], $sort: String, $locale: String, $offset: Int, $limit: Int, $timestamps: Boolean) {
			entries(collection: "countries", where: $where, sort: $sort, locale: $locale, offset: $offset, limit: $limit, timestamps: $timestamps) {
				totalCount items { data } } }`,
		"variables": variables,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "POST", base+"/public/v2/graphql", string(body), "Authorization: Bearer "+q.token)
	got := decode[struct {
		Data *struct {
			Entries struct {
				TotalCount int
				Items      []struct{ Data json.RawMessage }
			}
		}
		Errors []struct{ Extensions struct{ Code string } }
	}](t, a)
	if len(got.Errors) > 0 {
		if code := got.Errors[0].Extensions.Code; code != "BAD_USER_INPUT" {
			t.Fatalf("%s: GraphQL answered %s: %s", q, code, a.body)
		}
		return nil, -1
	}
	if a.status != 200 || got.Data == nil {
		t.Fatalf("%s: GraphQL answered %d: %s", q, a.status, a.body)
	}
	entries := make([]json.RawMessage, len(got.Data.Entries.Items))
	for i, item := range got.Data.Entries.Items {
		entries[i] = item.Data
	}
	return entries, got.Data.Entries.TotalCount
}

// String formats the question without its token.
func (q question) String() string {
	return strings.TrimSpace(fmt.Sprintf("where %v sort %q locale %q window %d+%d", q.where, q.sort, q.locale, q.offset, q.limit))
}
