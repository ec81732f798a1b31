package graphql

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkMerging rejects different fields with the same response name (FieldsInSetCanMerge
// in the specification). The schema has no interfaces or unions, so fields at one place
// of the response have one type. It is therefore enough to merge them once, as the
// executor does, while the library compares all pairs. The document must otherwise be
// valid.
func checkMerging(document *ast.QueryDocument) *gqlerror.Error {
	for _, operation := range document.Operations {
		if err := checkMerged(operation.SelectionSet); err != nil {
			return err
		}
	}
	return nil
}

// checkMerged checks the selections that together form one object of the response.
func checkMerged(sets ...ast.SelectionSet) *gqlerror.Error {
	merged := mergedSet{fields: map[string][]*ast.Field{}, spread: map[string]bool{}}
	for _, set := range sets {
		merged.add(set)
	}
	for _, name := range merged.order {
		fields := merged.fields[name]
		below := make([]ast.SelectionSet, len(fields))
		for i, field := range fields {
			if i > 0 && !sameField(fields[0], field) {
				err := queryError(codeValidation, "the fields named %s differ: give one of them an alias", quote(name))
				err.Locations = []gqlerror.Location{location(fields[0]), location(field)}
				return err
			}
			below[i] = field.SelectionSet
		}
		if err := checkMerged(below...); err != nil {
			return err
		}
	}
	return nil
}

// mergedSet collects fields by their response name.
type mergedSet struct {
	fields map[string][]*ast.Field
	order  []string
	spread map[string]bool // included fragments
}

func (m *mergedSet) add(set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if m.fields[s.Alias] == nil {
				m.order = append(m.order, s.Alias)
			}
			m.fields[s.Alias] = append(m.fields[s.Alias], s)
		case *ast.InlineFragment:
			m.add(s.SelectionSet)
		case *ast.FragmentSpread:
			if !m.spread[s.Name] {
				m.spread[s.Name] = true
				m.add(s.Definition.SelectionSet)
			}
		}
	}
}

// sameField reports whether two fields have the same name and arguments.
func sameField(a, b *ast.Field) bool {
	if a.Name != b.Name || len(a.Arguments) != len(b.Arguments) {
		return false
	}
	for _, argument := range a.Arguments {
		other := b.Arguments.ForName(argument.Name)
		if other == nil || !sameValue(argument.Value, other.Value) {
			return false
		}
	}
	return true
}

// sameValue reports whether two values are spelt the same.
func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, child := range a.Children {
		if child.Name != b.Children[i].Name || !sameValue(child.Value, b.Children[i].Value) {
			return false
		}
	}
	return true
}

func location(field *ast.Field) gqlerror.Location {
	return gqlerror.Location{Line: field.Position.Line, Column: field.Position.Column}
}
