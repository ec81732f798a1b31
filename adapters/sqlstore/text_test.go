package sqlstore

import (
	"reflect"
	"testing"
)

func TestNumbered(t *testing.T) {
	db := &DB{}
	for _, c := range []struct {
		text   string
		args   []any
		want   string
		wanted []any
	}{
		{"SELECT 1", nil, "SELECT 1", nil},
		{"a = ? AND b = ?", []any{1, 2}, "a = $1 AND b = $2", []any{1, 2}},
		{"a = @one AND b = ? AND c = @one", []any{1, 2}, "a = $1 AND b = $2 AND c = $1", []any{1, 2}},
		{"b = ? AND a = @one LIMIT ?", []any{as{"one", 1}, 2, 3}, "b = $1 AND a = $2 LIMIT $3", []any{2, 1, 3}},
		{"a @@ b AND c = $2 AND d = @one", []any{1, 2}, "a @@ b AND c = $2 AND d = $1", []any{1, 2}},
		{"a = $1 AND b @> c@", []any{1}, "a = $1 AND b @> c@", []any{1}},
	} {
		if text, args := db.numbered(c.text, c.args); text != c.want || !reflect.DeepEqual(args, c.wanted) {
			t.Errorf("numbered(%q, %v) = %q, %v, want %q, %v", c.text, c.args, text, args, c.want, c.wanted)
		}
	}
}

func BenchmarkNumbered(b *testing.B) {
	db := &DB{}
	text, args := "SELECT "+publishedColumns+publishedFrom+publishedWhere, []any{int64(1), int64(2), int64(3)}
	for b.Loop() {
		db.numbered(text, args)
	}
}
