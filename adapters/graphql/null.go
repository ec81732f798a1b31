package graphql

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// refuseNulls rejects a null variable for a non-null argument, input member or list
// element. Validation accepts a nullable variable with a default there, because only an
// explicit null is invalid.
//
// It does not check selections that @skip or @include excludes: they are not executed.
func refuseNulls(op *operation) *gqlerror.Error {
	check := nullCheck{variables: op.variables, checked: map[string]bool{}}
	for _, value := range op.variables {
		if value == nil {
			return check.selections(op.definition.SelectionSet)
		}
	}
	return nil
}

// nullCheck visits the selections of one operation, each fragment once.
type nullCheck struct {
	variables map[string]any
	checked   map[string]bool // fragments by name
}

func (c nullCheck) selections(set ast.SelectionSet) *gqlerror.Error {
	for _, selection := range set {
		if err := c.selection(selection); err != nil {
			return err
		}
	}
	return nil
}

func (c nullCheck) selection(selection ast.Selection) *gqlerror.Error {
	directives := directivesOf(selection)
	for _, directive := range directives {
		if err := c.arguments(directive.Arguments); err != nil {
			return err
		}
	}
	if skipped(directives, c.variables) {
		return nil
	}
	switch s := selection.(type) {
	case *ast.Field:
		if err := c.arguments(s.Arguments); err != nil {
			return err
		}
		return c.selections(s.SelectionSet)
	case *ast.InlineFragment:
		return c.selections(s.SelectionSet)
	case *ast.FragmentSpread:
		if !c.checked[s.Name] {
			c.checked[s.Name] = true
			return c.selections(s.Definition.SelectionSet)
		}
	}
	return nil
}

func (c nullCheck) arguments(arguments ast.ArgumentList) *gqlerror.Error {
	for _, argument := range arguments {
		if err := c.value(argument.Name, argument.Value); err != nil {
			return err
		}
	}
	return nil
}

// value checks a value and its children. name is the argument or member.
func (c nullCheck) value(name string, value *ast.Value) *gqlerror.Error {
	if value.Kind == ast.Variable {
		sent, ok := c.variables[value.Raw]
		if !ok || sent != nil || value.ExpectedType == nil || !value.ExpectedType.NonNull {
			return nil
		}
		err := queryError(codeVariable, "$%s must not be null: %s is a %s", value.Raw, name, value.ExpectedType)
		err.Locations = []gqlerror.Location{{Line: value.Position.Line, Column: value.Position.Column}}
		return err
	}
	for _, child := range value.Children {
		member := child.Name
		if value.Kind == ast.ListValue {
			member = "an element of " + name
		}
		if err := c.value(member, child.Value); err != nil {
			return err
		}
	}
	return nil
}
