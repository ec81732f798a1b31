package memory

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	slice "sort"
	"time"

	"imprimatur/core"
)

// data is what a table contains: rows by key, as in a table of a database. It refuses rows that break
// the rules of the table, and a row takes those that belong to it along when it is removed. Rows are
// replaced, never changed. The map is copied before its first change in a transaction.
//
// It knows no types, because the compiler would repeat it for each of them. Table has the types.
type data struct {
	*rules

	rows  map[any]any
	owned bool   // the current transaction has copied rows
	last  int64  // the last id that was given
	st    *state // the state that the table is part of
}

// row is a row with its key.
type row struct{ key, value any }

// next returns an id that no row has ever had.
func (t *data) next() int64 {
	t.last++
	return t.last
}

// in is the key of a row that must belong to a scope, the id of its first parent.
type in struct{ scope, id int64 }

// keyIn returns the key in a table.
func keyIn(key any) any {
	if at, ok := key.(in); ok {
		return at.id
	}
	return key
}

// one returns the row of the key, which may be an in, or core.ErrNotFound.
func (t *data) one(key any) (any, error) {
	value, ok := t.rows[keyIn(key)]
	if at, scoped := key.(in); !ok || scoped && t.scope(at.id, value) != at.scope {
		return nil, core.NotFound(t.thing)
	}
	return value, nil
}

// put stores a copy of a row. The transaction fails when the row breaks a rule.
func (t *data) put(key, value any) {
	if err := t.fault(key, value); err != nil {
		t.st.refuse(err)
		return
	}
	t.own()
	t.rows[key] = copied(value)
}

// add is put for a key without a row.
func (t *data) add(key, value any) {
	if _, taken := t.rows[key]; taken {
		t.st.refuse(t.conflict())
		return
	}
	t.put(key, value)
}

func (t *data) conflict() error {
	return core.Conflict("taken", "a conflicting %s already exists", t.thing)
}

// exchange replaces rows together: one may take the unique value of another.
func (t *data) exchange(rows []row) {
	t.own()
	for _, r := range rows {
		delete(t.rows, r.key)
	}
	for _, r := range rows {
		t.put(r.key, r.value)
	}
}

// remove removes a row and the rows that belong to it. The transaction fails when others refer to it.
func (t *data) remove(key any) {
	if _, ok := t.rows[key]; !ok {
		return
	}
	t.own()
	delete(t.rows, key)
	if id, ok := key.(int64); ok {
		for _, child := range t.st.tables {
			child.orphan(t.thing, id)
		}
	}
}

// orphan removes the rows that belong to a removed row of another table.
func (t *data) orphan(thing string, id int64) {
	for _, p := range t.parents {
		if p.thing != thing {
			continue
		}
		for key, value := range t.rows {
			switch {
			case p.id(key, value) != id:
			case p.owns:
				t.remove(key)
			default:
				t.st.refuse(core.Conflict("in_use", "the %s is in use or refers to a missing resource", thing))
				return
			}
		}
	}
}

// matching returns the rows that match, in the order of the table.
func (t *data) matching(match func(row) bool) (found []row) {
	for key, value := range t.rows {
		if r := (row{key, value}); match(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, t.compare)
	return found
}

// removeOld removes up to limit rows whose age is before before, the oldest first. Rows without an age stay.
func (t *data) removeOld(before time.Time, limit int) int {
	old := t.matching(func(r row) bool { return !t.age(r).IsZero() && t.age(r).Before(before) })
	slices.SortFunc(old, func(a, b row) int { return t.age(a).Compare(t.age(b)) })
	old = first(old, limit)
	for _, r := range old {
		t.remove(r.key)
	}
	return len(old)
}

func (t *data) own() {
	if t.owned {
		return
	}
	if t.rows = maps.Clone(t.rows); t.rows == nil {
		t.rows = map[any]any{}
	}
	t.owned = true
}

// fault returns which rule a row breaks, if any.
func (t *data) fault(key, value any) error {
	for _, m := range t.required {
		if m.of(key, value).IsZero() {
			return fmt.Errorf("memory: a %s without %s", t.thing, m.name)
		}
	}
	for _, p := range t.parents {
		if id := p.id(key, value); p.must && (id != 0 || !p.optional) {
			if _, err := t.st.tableOf(p.thing).one(id); err != nil {
				return err
			}
		}
	}
	before, replaces := t.rows[key]
	for _, unique := range t.unique {
		own := unique(value)
		if own == nil || replaces && unique(before) == own {
			continue
		}
		for other, held := range t.rows {
			if other != key && unique(held) == own {
				return t.conflict()
			}
		}
	}
	return nil
}

// table is data with the types of its keys and rows. Its methods only delegate.
type table[K comparable, V any] struct{ data data }

// rulesOf sets the rules of a table, whose rows are things.
func rulesOf[K comparable, V any](t *table[K, V], thing string) *rules {
	t.data.rules = &rules{thing: thing, key: reflect.TypeFor[K](), value: reflect.TypeFor[V]()}
	return t.data.rules
}

func as[V any](value any, err error) (V, error) {
	v, _ := value.(V)
	return v, err
}

func (t *table[K, V]) get(key K) (V, bool) {
	v, ok := t.data.rows[key].(V)
	return v, ok
}

func (t *table[K, V]) has(key K) bool {
	_, ok := t.data.rows[key]
	return ok
}

func (t *table[K, V]) one(key K) (V, error)          { return as[V](t.data.one(key)) }
func (t *table[K, V]) in(scope, id int64) (V, error) { return as[V](t.data.one(in{scope, id})) }
func (t *table[K, V]) next() int64                   { return t.data.next() }
func (t *table[K, V]) put(key K, value V)            { t.data.put(key, value) }
func (t *table[K, V]) add(key K, value V)            { t.data.add(key, value) }
func (t *table[K, V]) remove(key K)                  { t.data.remove(key) }

// of returns the rows that belong to scope, in the order of the table.
func (t *table[K, V]) of(scope int64) []V {
	return values[V](t.data.matching(func(r row) bool { return t.data.scope(r.key, r.value) == scope }))
}

// where returns the rows that match, in the order of the table.
func (t *table[K, V]) where(match func(V) bool) []V {
	return values[V](t.data.matching(func(r row) bool { return match(r.value.(V)) }))
}

// each calls do for each row, in any order, until it returns false. The table may be changed meanwhile.
func (t *table[K, V]) each(do func(K, V) bool) {
	for key, value := range t.data.rows {
		if !do(key.(K), value.(V)) {
			return
		}
	}
}

// removeIf removes the rows that match.
func removeIf[K comparable, V any](t *table[K, V], match func(K, V) bool) {
	for key, value := range t.each {
		if match(key, value) {
			t.remove(key)
		}
	}
}

// matching is table.where for a condition on keys.
func matching[K comparable, V any](t *table[K, V], match func(K, V) bool) []V {
	return values[V](t.data.matching(func(r row) bool { return match(r.key.(K), r.value.(V)) }))
}

// any reports whether a row matches.
func (t *table[K, V]) any(match func(V) bool) bool {
	_, ok := t.find(match)
	return ok
}

// find returns a row that matches.
func (t *table[K, V]) find(match func(V) bool) (found V, ok bool) {
	for _, value := range t.data.rows {
		if v := value.(V); match(v) {
			return v, true
		}
	}
	return found, false
}

func values[V any](rows []row) []V {
	if len(rows) == 0 {
		return nil
	}
	all := make([]V, len(rows))
	for i, r := range rows {
		all[i] = r.value.(V)
	}
	return all
}

// first returns at most n rows.
func first[T any, N int | int64](rows []T, n N) []T { return rows[:min(N(len(rows)), n)] }

// latest returns rows, which are in the order of ids, with the highest id first.
func latest[T any](rows []T) []T {
	slices.Reverse(rows)
	return rows
}

// window returns up to limit rows from offset on, and one more if it exists.
func window[T any](rows []T, offset, limit int64) []T { return page(rows, offset, limit+1) }

// page returns up to limit rows from offset on.
func page[T any](rows []T, offset, limit int64) []T {
	return first(rows[min(offset, int64(len(rows))):], limit)
}

// sort sorts rows, without a sorting of its own for each type.
func sort[T any](rows []T, order func(a, b T) int) []T {
	slice.SliceStable(rows, func(i, j int) bool { return order(rows[i], rows[j]) < 0 })
	return rows
}

// by returns the order of the value that of returns.
func by[V any, C cmp.Ordered](of func(V) C) func(a, b V) int {
	return func(a, b V) int { return cmp.Compare(of(a), of(b)) }
}
