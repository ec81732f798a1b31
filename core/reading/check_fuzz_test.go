package reading_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

// requireRefusal checks that err is nil or an error for the caller.
func requireRefusal(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, core.KindBadRequest, fault.Kind)
	require.NotEmpty(t, fault.Fields)
	_, encodable := json.Marshal(fault.Fields)
	require.NoError(t, encodable)
}

func FuzzSort(f *testing.F) {
	for _, seed := range []string{"", "title", "title:asc,views:desc", "id;--", ",,,", "a:b:c", "\x00", "secretNote:desc", "country.name"} {
		f.Add(seed)
	}
	l := setupReader(f)
	f.Fuzz(func(t *testing.T, sort string) {
		sel, err := l.selection(query.Query{Collection: "articles", Sort: sort})
		requireRefusal(t, err)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(sel.Sort), query.MaxSortKeys+1)
		for i, key := range sel.Sort {
			require.Equal(t, i == len(sel.Sort)-1, key.Field == core.SystemID, "the id is the last key")
			require.False(t, key.Field.Multiple || key.Field.Secret())
		}
	})
}

func FuzzCondition(f *testing.F) {
	for _, seed := range [][3]string{
		{"title", "like", `"x"`}, {"views", "between", `[1,"2"]`}, {"country.name", "in", `"a,b"`}, {"meta", "null", `true`},
		{"at", "lt", `"2026-01-01T00:00:00Z"`}, {"cover", "", `1e9999`}, {"on", "not", `{"a":null}`}, {"featured", "not_in", `[[]]`},
		{"country", "in", `[-1,0.5,"\ud800"]`}, {"a.b.c", "not_between", `null`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[1] == "")
	}
	l := setupReader(f)
	f.Fuzz(func(t *testing.T, field, op, value string, raw bool) {
		operand := query.Operand{Items: []any{value}}
		if !raw {
			operand = decodedOperand(value)
		}
		sel, err := l.selection(query.Query{
			Collection: "articles", Where: []query.Filter{{Field: field, Op: op, Operand: operand, Location: "where[0]"}},
		})
		requireRefusal(t, err)
		if err != nil {
			return
		}
		clause := sel.Where[0]
		require.False(t, clause.Field.Secret() || clause.Relation != nil && clause.Relation.Secret())
		require.LessOrEqual(t, len(clause.Values), query.MaxInValues)
		for _, v := range clause.Values {
			require.LessOrEqual(t, v.Num, 9.1e15)
			require.NotContains(t, v.Text, "\x00")
		}
	})
}

// decodedOperand decodes a JSON value like a transport.
func decodedOperand(value string) query.Operand {
	var decoded any
	if json.Unmarshal([]byte(value), &decoded) != nil {
		return query.Operand{}
	}
	if list, ok := decoded.([]any); ok {
		return query.Operand{Items: list, Listed: true}
	}
	return query.Operand{Items: []any{decoded}}
}
