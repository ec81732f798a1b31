package memory

import (
	"context"
	"reflect"

	"imprimatur/core"
	"imprimatur/core/event"
)

// store is a store of the rows of one table. The functions below, which know the type of rows, only
// delegate: methods of a generic type would be compiled for each of 50 types, used or not.
type store struct {
	conn
	thing string
}

func (s *store) open(c conn, thing string) { s.conn, s.thing = c, thing }

// open returns a store of things.
func open[S any, P interface {
	*S
	open(c conn, thing string)
}](c conn, thing string) (s S) {
	P(&s).open(c, thing)
	return s
}

func (s store) table(st *state) *data { return st.tableOf(s.thing) }

// get returns the row of the key, which may be an in.
func get[V any](ctx context.Context, s store, key any) (V, error) {
	return view(ctx, s.conn, func(st *state) (V, error) { return as[V](s.table(st).one(key)) })
}

// find returns a row that matches.
func find[V any](ctx context.Context, s store, match func(V) bool) (found V, err error) {
	all, err := where(ctx, s, match)
	if err != nil || len(all) == 0 {
		return found, s.missing(err)
	}
	return all[0], nil
}

// missing returns err, or that no row was found.
func (s store) missing(err error) error {
	if err != nil {
		return err
	}
	return core.NotFound(s.thing)
}

// where returns the rows that match, in the order of the table.
func where[V any](ctx context.Context, s store, match func(V) bool) ([]V, error) {
	return view(ctx, s.conn, func(st *state) ([]V, error) {
		return values[V](s.table(st).matching(func(r row) bool { return match(r.value.(V)) })), nil
	})
}

// rowsOf returns the rows of a scope, in the order of the table.
func rowsOf[V any](ctx context.Context, s store, scope int64) ([]V, error) {
	return view(ctx, s.conn, func(st *state) ([]V, error) {
		t := s.table(st)
		return values[V](t.matching(func(r row) bool { return t.scope(r.key, r.value) == scope })), nil
	})
}

// count returns the number of rows that match.
func count[V any](ctx context.Context, s store, match func(V) bool) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(s.table(st).matching(func(r row) bool { return match(r.value.(V)) }))), nil
	})
}

// exists reports whether a row matches.
func exists[V any](ctx context.Context, s store, match func(V) bool) (bool, error) {
	n, err := count(ctx, s, match)
	return n > 0, err
}

// put stores a row.
func (s store) put(ctx context.Context, key, value any) error {
	return s.apply(ctx, func(st *state) { s.table(st).put(key, value) })
}

// edit replaces the row of the key by what edit makes of a copy. The transaction must hold its lock if the table says so.
func edit[V any](ctx context.Context, s store, key any, edit func(*state, *V) error) error {
	return s.replace(ctx, key, func(st *state, value any) (any, error) {
		v := value.(V)
		err := edit(st, &v)
		return v, err
	})
}

func (s store) replace(ctx context.Context, key any, edit func(*state, any) (any, error)) error {
	return s.change(ctx, func(st *state) error {
		t := s.table(st)
		value, err := t.one(key)
		if err != nil {
			return err
		}
		if value, err = edit(st, copied(value)); err != nil {
			return err
		}
		if id, ok := keyIn(key).(int64); ok && t.locked {
			st.needLock(s.thing, id)
		}
		t.put(keyIn(key), value)
		return nil
	})
}

// set is edit for a change that is never refused.
func set[V any](ctx context.Context, s store, key any, change func(*V)) error {
	return update(ctx, s, key, "", change)
}

// update is set with an event of the row as it is then.
func update[V any](ctx context.Context, s store, key any, kind event.Type, change func(*V)) error {
	return edit(ctx, s, key, func(st *state, v *V) error {
		change(v)
		s.tell(st, kind, *v)
		return nil
	})
}

// try replaces the row of the key, if it exists and change reports true. It reports whether it did.
func try[V any](ctx context.Context, s store, key any, change func(*V) bool) (changed bool, err error) {
	err = s.apply(ctx, func(st *state) {
		v, known := s.table(st).rows[key].(V)
		if changed = known && change(&v); changed {
			s.table(st).put(key, v)
		}
	})
	return changed, err
}

// tell records an event of a kind, unless that is empty.
func (s store) tell(st *state, kind event.Type, value any) {
	if kind != "" {
		st.record(s.table(st).event(kind, value))
	}
}

// remove removes the row of the key.
func (s store) remove(ctx context.Context, key any) error {
	return s.change(ctx, func(st *state) error {
		t := s.table(st)
		value, err := t.one(key)
		if err == nil {
			t.remove(keyIn(key))
			s.tell(st, t.deleted, value)
		}
		return err
	})
}

// insert gives the row that a pointer leads to its id, and stores it. A row that is refused gets none.
func (s store) insert(ctx context.Context, pointer any) error {
	value := reflect.ValueOf(pointer).Elem()
	id := reflect.Indirect(value).FieldByName("ID").Addr().Interface().(*int64)
	return s.change(ctx, func(st *state) error {
		t := s.table(st)
		*id = t.next()
		if t.put(*id, value.Interface()); st.refused != nil {
			*id = 0
			return st.refused
		}
		st.lock(s.thing, *id)
		s.tell(st, t.created, value.Interface())
		return nil
	})
}

// same returns core.ErrNotFound unless the ids are equal.
func (s store) same(id, wanted int64) error {
	if id != wanted {
		return core.NotFound(s.thing)
	}
	return nil
}

// numbered is a store of rows with ids.
type numbered struct{ store }

func (s numbered) Lock(ctx context.Context, id int64) error   { return s.hold(ctx, s.thing, id) }
func (s numbered) Delete(ctx context.Context, id int64) error { return s.remove(ctx, id) }

// scoped is a store of rows with ids in scopes.
type scoped struct{ store }

func (s scoped) Lock(ctx context.Context, _, id int64) error { return s.hold(ctx, s.thing, id) }
func (s scoped) Delete(ctx context.Context, scope, id int64) error {
	return s.remove(ctx, in{scope, id})
}
