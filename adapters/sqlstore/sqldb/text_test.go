package sqldb

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
		if text, args := db.Numbered(c.text, c.args); text != c.want || !reflect.DeepEqual(args, c.wanted) {
			t.Errorf("numbered(%q, %v) = %q, %v, want %q, %v", c.text, c.args, text, args, c.want, c.wanted)
		}
	}
}

// longText is a text of the length of the most frequent reads.
const longText = "SELECT e.id, e.group_id, e.version, e.created_at, e.updated_at, e.published_at, e.locale, e.published, e.published_media, i.serves" +
	" FROM entry_index i JOIN entries e ON e.project_id = i.project_id AND e.id = i.entry_id" +
	" WHERE i.project_id = @project AND i.scope = ? AND e.id = ? AND e.published IS NOT NULL AND e.project_id = @project"

func BenchmarkNumbered(b *testing.B) {
	db := &DB{}
	text, args := longText, []any{int64(1), int64(2), int64(3)}
	for b.Loop() {
		db.Numbered(text, args)
	}
}

// listDialect writes lists as Postgres does, for lists of two as "~".
type listDialect struct{ Dialect }

func (listDialect) AmongSize(n int) uint8 { return uint8(min(n, 3)) }

func (listDialect) AmongArgs(values []any) []any { return []any{len(values)} }

func (d listDialect) Among(first int, values []any) (text string, args []any) {
	return []string{"", "", "~", "="}[d.AmongSize(len(values))] + placeholder(first), d.AmongArgs(values)
}

// TestNumberedLists runs each text twice, because the second time it is known.
func TestNumberedLists(t *testing.T) {
	db := &DB{Dialect: listDialect{}}
	const text = "a ? AND b = @one AND c @two AND d = @one"
	for range 2 {
		for _, c := range []struct {
			args   []any
			want   string
			wanted []any
		}{
			{[]any{AmongIDs{1}, 5, AmongTexts{"a"}}, "a ~$1 AND b = $2 AND c ~$3 AND d = $2", []any{2, 5, 2}},
			{[]any{AmongIDs{1, 2, 3, 4}, 5, AmongTexts{"a"}}, "a =$1 AND b = $2 AND c ~$3 AND d = $2", []any{4, 5, 2}},
			{[]any{as{"two", AmongIDs{1}}, as{"one", 6}, AmongIDs{1, 2, 3}}, "a =$1 AND b = $2 AND c ~$3 AND d = $2", []any{3, 6, 2}},
			{[]any{as{"one", AmongIDs{1}}, as{"two", 6}, AmongIDs{1, 2, 3}}, "a =$1 AND b = ~$2 AND c $3 AND d = ~$2", []any{3, 2, 6}},
		} {
			if text, args := db.Numbered(text, c.args); text != c.want || !reflect.DeepEqual(args, c.wanted) {
				t.Errorf("numbered(%v) = %q, %v, want %q, %v", c.args, text, args, c.want, c.wanted)
			}
		}
	}
}

func BenchmarkNumberedLists(b *testing.B) {
	db := &DB{Dialect: listDialect{}}
	text, args := longText+" AND e.id @ids", []any{int64(1), int64(2), int64(3), as{"ids", AmongIDs{1, 2, 3}}}
	for b.Loop() {
		db.Numbered(text, args)
	}
}
