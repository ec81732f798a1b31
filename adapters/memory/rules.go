package memory

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"imprimatur/core/event"
)

// rules are the constraints of a table, those of the migrations of the SQL adapters. Members are named
// as in a row or in its key; "" is the key.
type rules struct {
	thing      string // what a row is, in errors and for references
	key, value reflect.Type
	required   []member
	unique     []func(value any) any
	parents    []parent
	order      []member // none: by id
	locked     bool     // a transaction changes a row only with its lock
	ageing     *member

	created, deleted event.Type // told of each row that a store inserts or deletes; none: nothing
	event            func(kind event.Type, value any) event.Event
}

// member is a member of a row or of its key.
type member struct {
	name  string
	path  []int
	inKey bool
}

func (m member) of(key, value any) reflect.Value {
	if m.inKey {
		return reflect.ValueOf(key).FieldByIndex(m.path)
	}
	return reflect.Indirect(reflect.ValueOf(value)).FieldByIndex(m.path)
}

// parent is a reference to a row of another table.
type parent struct {
	member

	thing    string
	must     bool // the other row exists
	optional bool // 0: refers to none
	owns     bool // the row goes with the other
}

func (p parent) id(key, value any) int64 {
	if p.name == "" {
		return key.(int64)
	}
	return p.of(key, value).Int()
}

// notNull requires that members are not zero.
func (r *rules) notNull(names ...string) *rules {
	r.required = append(r.required, r.members(names)...)
	return r
}

// uniqueBy requires that no two rows have the same members. As null, an id of 0 is not compared.
func (r *rules) uniqueBy(names ...string) *rules {
	members := r.members(names)
	r.unique = append(r.unique, func(value any) any {
		var all [2]any
		for i, m := range members {
			of := m.of(nil, value)
			switch {
			case of.Kind() == reflect.Int64 && of.IsZero():
				return nil
			case of.Kind() == reflect.Slice:
				all[i] = string(of.Bytes())
			default:
				all[i] = of.Interface()
			}
		}
		return all
	})
	return r
}

// belongsTo is REFERENCES … ON DELETE CASCADE.
func (r *rules) belongsTo(name, thing string) *rules {
	return r.refer(name, parent{thing: thing, must: true, owns: true})
}

// mayBelongTo is belongsTo for a column that may be null.
func (r *rules) mayBelongTo(name, thing string) *rules {
	return r.refer(name, parent{thing: thing, must: true, owns: true, optional: true})
}

// refersTo is REFERENCES.
func (r *rules) refersTo(name, thing string) *rules {
	return r.refer(name, parent{thing: thing, must: true})
}

// mayReferTo is refersTo for a column that may be null.
func (r *rules) mayReferTo(name, thing string) *rules {
	return r.refer(name, parent{thing: thing, must: true, optional: true})
}

// goesWith is for rows that a store deletes with another, without a constraint.
func (r *rules) goesWith(name, thing string) *rules {
	return r.refer(name, parent{thing: thing, owns: true})
}

func (r *rules) refer(name string, p parent) *rules {
	p.member = r.member(name)
	r.parents = append(r.parents, p)
	return r
}

// ordered says in which order rows are listed.
func (r *rules) ordered(names ...string) *rules {
	r.order = r.members(names)
	return r
}

// ages says from what time on a row may be deleted as old; zero: it stays.
func (r *rules) ages(name string) { r.ageing = new(r.member(name)) }

// underLock says that a transaction changes a row only with its lock.
func (r *rules) underLock() *rules {
	r.locked = true
	return r
}

// tells says which events of rows are recorded, and how they are made.
func tells[K comparable, V any](t *table[K, V], created, deleted event.Type, made func(event.Type, V) event.Event) {
	r := t.data.rules
	r.created, r.deleted = created, deleted
	r.event = func(kind event.Type, value any) event.Event { return made(kind, value.(V)) }
}

// scope returns the id of the first parent of a row.
func (r *rules) scope(key, value any) int64 { return r.parents[0].id(key, value) }
func (r *rules) age(of row) time.Time       { return r.ageing.of(of.key, of.value).Interface().(time.Time) }

// compare returns the order of two rows.
func (r *rules) compare(a, b row) (order int) {
	for _, m := range r.order {
		if order = compared(m.of(a.key, a.value), m.of(b.key, b.value)); order != 0 {
			return order
		}
	}
	id, ok := a.key.(int64)
	if other, both := b.key.(int64); ok && both {
		return cmp.Compare(id, other)
	}
	return 0
}

func compared(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	default:
		return a.Interface().(time.Time).Compare(b.Interface().(time.Time))
	}
}

func (r *rules) members(names []string) (all []member) {
	for _, name := range names {
		all = append(all, r.member(name))
	}
	return all
}

// member returns a member of rows or of their keys. It panics for an unknown one.
func (r *rules) member(name string) member {
	if name == "" {
		return member{}
	}
	if path, ok := pathOf(r.value, name); ok {
		return member{name, path, false}
	}
	path, ok := pathOf(r.key, name)
	if !ok {
		panic("memory: a " + r.thing + " has no " + name)
	}
	return member{name, path, true}
}

// pathOf returns where a member of a type is. Its name may have dots.
func pathOf(t reflect.Type, name string) (path []int, ok bool) {
	for part := range strings.SplitSeq(name, ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil, false
		}
		f, found := t.FieldByName(part)
		if !found {
			return nil, false
		}
		path, t = append(path, f.Index...), f.Type
	}
	return path, true
}
