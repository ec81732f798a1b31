package contract_test

import (
	"regexp"
	"slices"
	"strings"
)

// unnamed returns the tables that a statement reads or writes without naming the Project in a
// condition or among the inserted columns.
func unnamed(text string, tables []string) []string {
	var missing []string
	for _, q := range queries(token.FindAllString(text, -1)) {
		for _, r := range q.references(tables) {
			if !q.names(r) {
				missing = append(missing, r.table)
			}
		}
	}
	return missing
}

// token matches a name, a string, a number, a parameter or a symbol.
var token = regexp.MustCompile(`"[^"]*"|'(?:[^']|'')*'|[A-Za-z_][A-Za-z_0-9]*|\$?\d+|[^\s\w]`)

// query holds the tokens of one SELECT, INSERT, UPDATE or DELETE without its subqueries.
type query []string

// queries splits a statement into queries. Parentheses without a query stay part of the
// query around them.
func queries(tokens []string) []query {
	var found []query
	open := []query{nil} // the queries around this place, the innermost last
	var inner []bool     // for every open parenthesis, whether a query is in it
	end := func() {
		found = append(found, open[len(open)-1])
		open[len(open)-1] = nil
	}
	for i, t := range tokens {
		last := len(open) - 1
		switch {
		case t == "(":
			isQuery := i+1 < len(tokens) && among(tokens[i+1], "SELECT", "WITH")
			if inner = append(inner, isQuery); isQuery {
				open = append(open, nil)
				continue
			}
			open[last] = append(open[last], t)
		case t == ")":
			isQuery := inner[len(inner)-1]
			if inner = inner[:len(inner)-1]; isQuery {
				end()
				open = open[:last]
				continue
			}
			open[last] = append(open[last], t)
		case is(t, "UNION"):
			end()
		case is(t, "SELECT") && len(open[last]) > 0 && is(open[last][0], "INSERT"):
			end()
		default:
			open[last] = append(open[last], strings.Trim(t, `"`))
		}
	}
	end()
	return found
}

func is(token, keyword string) bool { return strings.EqualFold(token, keyword) }

// reference is a reference to a table in a query.
type reference struct {
	table, alias string
	at           int // index of its token
}

func (q query) references(tables []string) (found []reference) {
	for i, t := range q {
		if !slices.Contains(tables, t) || !q.tableAt(i) {
			continue
		}
		r := reference{t, t, i}
		rest := q[i+1:]
		if len(rest) > 0 && is(rest[0], "AS") {
			rest = rest[1:]
		}
		if len(rest) > 0 && aliasName.MatchString(rest[0]) && !among(rest[0], noAlias...) {
			r.alias = rest[0]
		}
		found = append(found, r)
	}
	return found
}

// tableAt reports whether the token at i is a table name.
func (q query) tableAt(i int) bool {
	switch {
	case i == 0:
		return false
	case q[i-1] != ",":
		return among(q[i-1], "FROM", "JOIN", "UPDATE", "INTO")
	}
	for i > 0 && !among(q[i], "SELECT", "FROM", "INTO", "SET", "WHERE", "ON", "BY", "VALUES", "RETURNING") {
		i--
	}
	return is(q[i], "FROM")
}

func among(token string, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return is(token, k) })
}

var (
	aliasName = regexp.MustCompile(`^[a-z_]\w*$`)
	noAlias   = []string{"WHERE", "JOIN", "ON", "SET", "CROSS", "LEFT", "ORDER", "GROUP", "LIMIT", "VALUES", "USING", "FOR", "RETURNING"}
)

// names reports whether q restricts r to a project.
func (q query) names(r reference) bool {
	if is(q[r.at-1], "INTO") {
		columns := q[r.at:]
		return slices.Contains(columns[:slices.Index(columns, ")")+1], "project_id")
	}
	where := slices.IndexFunc(q, func(t string) bool { return among(t, "WHERE", "ON") })
	if where < 0 {
		return false
	}
	for i := where; i+1 < len(q); i++ {
		if q[i] != "project_id" {
			continue
		}
		compared := q[i+1] == "=" || is(q[i+1], "IN") || slices.Contains(q[max(0, i-3):i], "=")
		qualified := q[i-1] == "."
		if compared && (qualified && q[i-2] == r.alias || !qualified && len(q.references([]string{r.table})) == 1) {
			return true
		}
	}
	return false
}
