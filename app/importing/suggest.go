package importing

import (
	"cmp"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/slug"
)

// Builder makes a Suggestion, field by field.
type Builder struct {
	Suggestion

	names map[string]bool
}

// Suggest returns the Builder of the suggestion for a kind of the source.
func Suggest(from, key, name string) *Builder {
	b := &Builder{names: map[string]bool{}}
	b.From, b.Slug, b.Name = from, key, name
	return b
}

// Add adds a field that the source calls from. If its name is taken or reserved, it gets a number.
func (b *Builder) Add(from string, in definition.FieldInput) {
	name := in.Name
	for n := 2; b.names[in.Name] || in.Name == "collection" || core.SystemField(in.Name) != nil; n++ {
		in.Name = name + strconv.Itoa(n)
	}
	b.names[in.Name] = true
	b.Definition.Fields = append(b.Definition.Fields, in)
	b.Suggestion.Fields = append(b.Suggestion.Fields, from)
}

// Limits of the names that Key and FieldName return.
const (
	maxKey       = 58
	maxFieldName = 50
)

// Key returns the key of a collection or component for a name of the source.
func Key(name string) string {
	key := strings.Trim(strings.ReplaceAll(slug.Derive(strings.ReplaceAll(name, "_", "-"), "", slug.ASCII), "_", "-"), "-")
	return cmp.Or(strings.Trim(key[:min(len(key), maxKey)], "-"), "other")
}

// FreeKey is Key with a number if the key is taken already, and takes it.
func FreeKey(taken map[string]bool, name string) string {
	key := Key(name)
	for n := 2; taken[key]; n++ {
		key = Key(name) + "-" + strconv.Itoa(n)
	}
	taken[key] = true
	return key
}

// FieldName returns the name of a field for a name of the source.
func FieldName(name string) string {
	derived := strings.Trim(strings.ReplaceAll(slug.Derive(strings.ReplaceAll(name, "_", "-"), "", slug.ASCII), "-", "_"), "_")
	if derived == "" || derived[0] < 'a' || derived[0] > 'z' {
		derived = "field_" + derived
	}
	return derived[:min(len(derived), maxFieldName)]
}
