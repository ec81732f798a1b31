package sqlstore

import (
	"strings"
	"testing"
	"time"

	"imprimatur/core"
)

func TestAHintIsKnownForAWhile(t *testing.T) {
	t.Parallel()
	p := &recall[fieldValue]{}
	v := fieldValue{collection: 1, field: 2, value: core.Value{Text: "news"}}
	if p.has(v) {
		t.Error("known from the start")
	}
	p.add(v)
	elsewhere := v
	elsewhere.collection = 7
	if !p.has(v) || p.has(elsewhere) {
		t.Error("not what was added, or more")
	}
	p.since = time.Now().Add(-hintAge)
	if p.has(v) {
		t.Error("known for too long")
	}
	for n := range hintCount + 10 {
		p.add(fieldValue{value: core.Value{Num: float64(n)}})
	}
	if len(p.keys) > hintCount {
		t.Errorf("%d are kept", len(p.keys))
	}
}

func TestAHintIsOfOneValue(t *testing.T) {
	t.Parallel()
	sel := core.Selection{Schema: core.Schema{Collection: &core.Collection{ID: 1}}}
	values := func(texts ...string) (vs []core.Value) {
		for _, text := range texts {
			vs = append(vs, core.Value{Text: text})
		}
		return vs
	}
	for _, c := range []struct {
		op     core.Op
		values []core.Value
		want   bool
	}{
		{core.OpEqual, values("a"), true},
		{core.OpIn, values("a"), true},
		{core.OpIn, values("a", "b"), false},
		{core.OpLike, values("a"), true},
		{core.OpLess, values("a"), false},
		{core.OpEqual, values(strings.Repeat("a", hintText+1)), true},
	} {
		if _, ok := oneValue(sel, &core.Clause{Field: &core.Field{ID: 3}, Op: c.op, Values: c.values}); ok != c.want {
			t.Errorf("%q %v: %v", c.op, c.values, ok)
		}
	}
	long := strings.Repeat("a", 1<<16)
	seen := map[fieldValue]string{}
	for _, op := range []core.Op{core.OpEqual, core.OpLike} {
		for _, text := range []string{"a", long, long + "a"} {
			v, _ := oneValue(sel, &core.Clause{Field: &core.Field{ID: 3}, Op: op, Values: values(text)})
			if before, ok := seen[v]; ok || len(v.value.Text) > hintText {
				t.Errorf("%q %d bytes are remembered in %d, as %q are", op, len(text), len(v.value.Text), before)
			}
			seen[v] = string(op)
		}
	}
}
