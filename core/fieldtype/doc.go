// Package fieldtype has the types that a field of a collection can have, one file per family.
// A file declares and registers its types. The declaration has everything that differs between
// types:
//
//   - how a written value is checked and made canonical (Check),
//   - which options of its field a value must meet (Meets),
//   - how a filter's operand is read (Operand),
//   - what a value refers to (References, EditLinks),
//   - how values compare, and so which index and which operators apply (Kind),
//   - which options a field of the type takes (Unique, Length, Indexed, …),
//   - how the API documents describe it (Form), and which control edits it (Control).
//
// To add a type, add a file. Package core and everything above look types up by name
// with Of; no other list of types exists.
package fieldtype

import (
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core/slug"
)

// Name is the name of a field type, as definitions spell it.
type Name string

// Kind is how the values of a type compare.
type Kind uint8

// The kinds.
const (
	Opaque    Kind = iota // not compared
	Text                  // equal by code point, ordered by words.Compare
	Number                // as IEEE 754 doubles; booleans are 0 and 1
	Time                  // as milliseconds: since 1970 (date, datetime) or since midnight (time)
	Reference             // an id: equality only
)

// Value is one comparable value. Kind Text uses Text. Every other kind uses Num: the number
// itself, 0 or 1 for a boolean, milliseconds for a time, an id for a reference.
type Value struct {
	Text string
	Num  float64
}

// Options are the options of a field that its values must meet.
type Options struct {
	Multiple bool
	Min, Max *float64 // bounds of a number, or of a text's length in code points
	Pattern  string   // RE2, of the whole value
	// PatternMessage is the fault of a value that does not match Pattern. Empty: a fault that quotes Pattern.
	PatternMessage string
	Choices        []string   // of an enumeration
	Style          slug.Style // of a slug; empty: slug.ASCII
	Path           bool       // a slug can have several parts
}

// Fault is an option of a field that a value does not meet. The zero Fault means no fault.
type Fault struct {
	// Message is a phrase that follows the field's name.
	Message string
	// Incomplete is true for the faults that a draft may have and a published version may not:
	// faults of min and pattern.
	Incomplete bool
}

// Type is a field type.
type Type struct {
	Name Name
	Kind Kind
	// Form is a short description of a value in JSON.
	Form string
	// Control names the input that a dashboard offers.
	Control string
	// Example is the JSON of a valid value of a field without options.
	Example string

	// Check checks one value by its type alone. The value is valid JSON other than null. Check
	// returns its canonical JSON, or a fault: a phrase that follows the field's name.
	Check func(raw json.RawMessage) (value json.RawMessage, fault string)
	// Meets checks one canonical value by the options of its field. Options can change after
	// the value was stored; what Check accepted stays valid. Nil: no option applies.
	Meets func(o Options, value json.RawMessage) Fault
	// Operand reads a value of a filter: a string, bool or json.Number. A fault is a
	// phrase that follows the field's name. Nil for Kind Opaque.
	Operand func(item any) (value Value, fault string)
	// Decode reads one canonical JSON value other than null. Nil for Kind Opaque.
	Decode func(raw []byte) (value Value, ok bool)

	// Blank reports whether a text shows nothing, so that it counts as no value. Nil: values are
	// never blank.
	Blank func(text string) bool
	// Searched returns the text of a value that the operator "like" searches. Nil: the value.
	Searched func(text string) string
	// Worded returns the text of a value whose words searches find. Nil: the value.
	Worded func(text string) string

	// References calls visit with each reference in one canonical value. Nil: values have none.
	References func(raw []byte, visit func(Ref))
	// HasIDs reports whether one canonical value can have links with ids. It only scans the bytes.
	HasIDs func(raw []byte) bool
	// EditLinks calls edit with each link in one canonical value, and returns the edited value. Nil:
	// values have no links.
	EditLinks func(raw []byte, edit func(l *Link)) []byte

	// Removed returns the names of what Check removed from raw, or repaired in it, to make value, with
	// their numbers from two on: "style (3)", "script". Nil: Check removes nothing.
	Removed func(raw, value json.RawMessage) []string
	// Pictures calls visit with the address of each picture in one canonical value that is not of the
	// library by its id. Nil: values have none.
	Pictures func(raw []byte, visit func(source string))

	// MaxBytes is the maximum length of a text in bytes, which Check enforces. 0: none but that of
	// the request.
	MaxBytes int

	Unique     bool // single values can be unique
	Length     bool // single values have a length and match patterns
	Unordered  bool // lt, gt and between do not apply; texts are not sorted either
	LongText   bool // values are not compared and not indexed: only like, null and not_null apply
	Secret     bool // values are stored hashed and never returned
	SingleOnly bool // a field cannot hold several values
	// Items says that values are items of components. Their values have types of their own, so that
	// Check, Meets and the other functions are nil.
	Items bool
}

var types = map[Name]*Type{}

// register adds types. The variables of each file call it, so that all types are registered before
// any init function runs. It returns a value only because a variable needs one.
func register(added ...Type) struct{} { //nolint:unparam // see above
	for _, t := range added {
		if _, twice := types[t.Name]; twice {
			panic("fieldtype: registered twice: " + string(t.Name))
		}
		types[t.Name] = &t
	}
	return struct{}{}
}

// Of returns the type of that name, or nil.
func Of(name Name) *Type { return types[name] }

// Names returns the names of the types for which keep returns true, in alphabetical order; nil
// keeps all.
func Names(keep func(*Type) bool) []Name {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(types)), func(name Name) bool { return keep != nil && !keep(types[name]) })
}
