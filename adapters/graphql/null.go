package graphql

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// refuseNulls refuses a null variable where an argument, a member of an input object
// or an element of a list is non-null. Validation lets a nullable variable with a
// default stand there, because only an explicit null can break it.
//
// Selections that @skip or @include leaves out are not checked: they are not executed.
func refuseNulls(op *operation) *gqlerror.Error {
	check := nullCheck{variables: op.variables, checked: map[string]bool{}}
	for _, value := range op.variables {
		if value == nil {
			return check.selections(op.definition.SelectionSet)
		}
	}
	return nil
}

// nullCheck walks the selections of one operation, each fragment once.
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

// value checks a value and all that is in it; name is the argument or member it is for.
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
