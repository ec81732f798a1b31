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
			check.selections(op.definition.SelectionSet)
			break
		}
	}
	return check.fault
}

// nullCheck visits the selections of one operation, each fragment once.
type nullCheck struct {
	variables map[string]any
	checked   map[string]bool // fragments by name
	fault     *gqlerror.Error // the first one
}

func (c *nullCheck) selections(set ast.SelectionSet) {
	for _, selection := range set {
		directives := directivesOf(selection)
		for _, directive := range directives {
			c.arguments(directive.Arguments)
		}
		if skipped(directives, c.variables) {
			continue
		}
		switch s := selection.(type) {
		case *ast.Field:
			c.arguments(s.Arguments)
			c.selections(s.SelectionSet)
		case *ast.InlineFragment:
			c.selections(s.SelectionSet)
		case *ast.FragmentSpread:
			if !c.checked[s.Name] {
				c.checked[s.Name] = true
				c.selections(s.Definition.SelectionSet)
			}
		}
	}
}

func (c *nullCheck) arguments(arguments ast.ArgumentList) {
	for _, argument := range arguments {
		c.value(argument.Name, argument.Value)
	}
}

// value checks a value and its children. name is the argument or member.
func (c *nullCheck) value(name string, value *ast.Value) {
	if value.Kind == ast.Variable {
		sent, ok := c.variables[value.Raw]
		if c.fault == nil && ok && sent == nil && value.ExpectedType != nil && value.ExpectedType.NonNull {
			c.fault = queryError(codeVariable, "$%s must not be null: %s is a %s", value.Raw, name, value.ExpectedType)
			c.fault.Locations = []gqlerror.Location{{Line: value.Position.Line, Column: value.Position.Column}}
		}
		return
	}
	for _, child := range value.Children {
		member := child.Name
		if value.Kind == ast.ListValue {
			member = "an element of " + name
		}
		c.value(member, child.Value)
	}
}
