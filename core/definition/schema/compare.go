package schema

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// Change is a difference between two files: of a component or collection, or of one of its fields.
type Change struct {
	Path string // "components.hero", "collections.articles.fields.title"
	Kind core.ChangeKind
	// Options are the options that differ, of ChangeEdited. That of the name "order" has the names of the
	// fields.
	Options []Option
	// Removes says that values are no longer shown, which apply does only when it is allowed.
	Removes bool
	// Restores says that the added field gets back the values that entries still have.
	Restores bool
	// Stored and Public are the numbers of entries whose draft, and whose published version, has a value
	// that is removed or hidden, or that does not meet the new options. nil: not counted.
	Stored, Public *int64

	kind       string                   // componentKind or collectionKind
	key, field string                   // of the definition, and of the field; "" for the definition itself
	hides      bool                     // values are removed or hidden
	counts     func(core.Document) bool // set by the Planner
}

// The kinds of definitions, as paths name them.
const (
	componentKind  = "components"
	collectionKind = "collections"
)

// Option is an option before and after, as JSON; null is the default.
type Option struct {
	Name          string
	Before, After json.RawMessage
}

// rules are the options that values have to meet.
var rules = []string{"required", "min", "max", "pattern", "choices", "style", "path"}

// compare returns the changes from one file to another, ordered by path in each kind, components first.
func compare(from, to File) []Change {
	return slices.Concat(compareAll(componentKind, from.Components, to.Components), compareAll(collectionKind, from.Collections, to.Collections))
}

func compareAll(kind string, from, to []definition.CollectionInput) (changes []Change) {
	for _, old := range from {
		if now := byKey(to, KeyOf(old)); now != nil {
			changes = append(changes, compareOne(kind, old, *now)...)
		} else {
			changes = append(changes, Change{Path: kind + "." + KeyOf(old), Kind: core.ChangeRemoved, Removes: true, kind: kind, key: KeyOf(old), hides: true})
		}
	}
	for _, now := range to {
		if byKey(from, KeyOf(now)) == nil {
			changes = append(changes, Change{Path: kind + "." + KeyOf(now), Kind: core.ChangeAdded, kind: kind, key: KeyOf(now)})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.key, b.key) })
	return changes
}

// byKey returns the definition with that key, or nil.
func byKey(list []definition.CollectionInput, key string) *definition.CollectionInput {
	at := slices.IndexFunc(list, func(in definition.CollectionInput) bool { return KeyOf(in) == key })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// field returns the field of that name, or nil.
func field(in *definition.CollectionInput, name string) *definition.FieldInput {
	at := slices.IndexFunc(in.Fields, func(f definition.FieldInput) bool { return f.Name == name })
	if at < 0 {
		return nil
	}
	return &in.Fields[at]
}

// compareOne compares two states of a component or collection.
func compareOne(kind string, old, now definition.CollectionInput) (changes []Change) {
	head := Change{Path: kind + "." + KeyOf(old), Kind: core.ChangeEdited, kind: kind, key: KeyOf(old), Options: differing(headOf(old), headOf(now))}
	if before, after := common(old, now), common(now, old); !slices.Equal(before, after) {
		head.Options = append(head.Options, Option{"order", encoded(before), encoded(after)})
	}
	if len(head.Options) > 0 {
		changes = append(changes, head)
	}
	at := func(name string, kindOf core.ChangeKind) Change {
		return Change{Path: head.Path + ".fields." + name, Kind: kindOf, kind: kind, key: KeyOf(old), field: name}
	}
	for _, f := range old.Fields {
		if field(&now, f.Name) == nil {
			c := at(f.Name, core.ChangeRemoved)
			c.Removes, c.hides = true, true
			changes = append(changes, c)
		}
	}
	for _, f := range now.Fields {
		before := field(&old, f.Name)
		if before == nil {
			changes = append(changes, at(f.Name, core.ChangeAdded))
			continue
		}
		c := at(f.Name, core.ChangeEdited)
		if c.Options = differing(optionsOf(*before), optionsOf(f)); len(c.Options) == 0 {
			continue
		}
		c.Removes = narrowed(before.Collections, f.Collections) || narrowed(before.Components, f.Components)
		c.hides = c.Removes || f.Hidden && !before.Hidden
		changes = append(changes, c)
	}
	return changes
}

// narrowed reports whether elements are gone.
func narrowed(before, after []string) bool {
	return slices.ContainsFunc(before, func(one string) bool { return !slices.Contains(after, one) })
}

// common returns the names of the fields of in that other has, too.
func common(in, other definition.CollectionInput) (names []string) {
	for _, f := range in.Fields {
		if field(&other, f.Name) != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// differing returns the options that differ.
func differing(before, after members) (options []Option) {
	for _, m := range before {
		if now := after.value(m.name); !reflect.DeepEqual(m.value, now) {
			options = append(options, Option{m.name, encoded(m.value), encoded(now)})
		}
	}
	for _, m := range after {
		if before.value(m.name) == nil {
			options = append(options, Option{m.name, encoded(nil), encoded(m.value)})
		}
	}
	return options
}

func encoded(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil { // a default that is not JSON
		return json.RawMessage("null")
	}
	return raw
}

// ruled reports whether an option that values have to meet differs.
func (c *Change) ruled() bool {
	return slices.ContainsFunc(c.Options, func(o Option) bool { return slices.Contains(rules, o.Name) })
}
