package graphql

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"imprimatur/core/query"
)

// measure is the size of a selection: its complexity, the depth of its fields, fragments and
// literals, and the number of selections of any kind visited.
type measure struct{ fields, depth, visits int }

// place is the position of a selection. Selections below items count several times, all others
// once.
type place struct {
	root  bool // directly in an operation
	times int  // directly under entries: the factor for selections below items
}

// meter measures selections by name only, so that it works before validation. @skip,
// @include and limits use variables, which are coerced after validation. It measures each
// fragment once per place, so that the work is proportional to the document.
type meter struct {
	fragments ast.FragmentDefinitionList
	variables map[string]any             // coerced; nil means that @skip and @include are ignored
	known     map[fragmentPlace]*measure // nil while it is being measured
	cycle     string                     // name of a fragment that spreads itself
}

type fragmentPlace struct {
	name string
	place
}

// limitComplexity rejects an operation that selects more than maxComplexity fields. It
// uses the variables of the execution.
func limitComplexity(op *operation) *gqlerror.Error {
	m := meter{fragments: op.document.Fragments, variables: op.variables, known: map[fragmentPlace]*measure{}}
	size := m.selections(op.definition.SelectionSet, place{root: true})
	if size.depth > maxDepth {
		return tooDeep()
	}
	if size.fields > maxComplexity {
		return queryError(codeComplexity, "Query is too complex: %d. Maximum allowed complexity: %d.", size.fields, maxComplexity)
	}
	return nil
}

// limitSize rejects a document whose operations and fragments together are too large. It
// includes those that are not executed, because all of them are validated.
func limitSize(document *ast.QueryDocument) *gqlerror.Error {
	var sets []ast.SelectionSet
	deepest := 0
	for _, operation := range document.Operations {
		sets = append(sets, operation.SelectionSet)
		deepest = max(deepest, variablesDepth(operation.VariableDefinitions), literalsDepth(operation.Directives, nil))
	}
	for _, fragment := range document.Fragments {
		sets = append(sets, fragment.SelectionSet)
		deepest = max(deepest, variablesDepth(fragment.VariableDefinition), literalsDepth(fragment.Directives, nil))
	}
	if deepest > maxDepth {
		return tooDeep()
	}
	m := meter{fragments: document.Fragments, known: map[fragmentPlace]*measure{}}
	total := 0
	for _, set := range sets {
		size := m.selections(set, place{})
		if size.depth > maxDepth {
			return tooDeep()
		}
		if total = plus(total, size.visits); total > maxDocumentSize {
			return queryError(codeTooLarge, "the document has more than %d selections in all", maxDocumentSize)
		}
	}
	if m.cycle != "" {
		return queryError(codeValidation, "the fragment %s spreads itself", quote(m.cycle))
	}
	return nil
}

func tooDeep() *gqlerror.Error {
	return queryError(codeTooLarge, "the query nests deeper than %d levels", maxDepth)
}

// selections measures a selection set.
func (m *meter) selections(set ast.SelectionSet, at place) measure {
	var size measure
	for _, selection := range set {
		part := m.selection(selection, at)
		size.fields = plus(size.fields, part.fields)
		size.depth = max(size.depth, part.depth)
		size.visits = plus(size.visits, plus(1, part.visits))
	}
	return size
}

func (m *meter) selection(selection ast.Selection, at place) measure {
	if m.variables != nil && skipped(directivesOf(selection), m.variables) {
		return measure{}
	}
	var size measure
	var arguments ast.ArgumentList
	switch s := selection.(type) {
	case *ast.Field:
		size, arguments = m.field(s, at), s.Arguments
	case *ast.InlineFragment:
		size = m.selections(s.SelectionSet, at)
	case *ast.FragmentSpread:
		size = m.spread(s.Name, at)
	}
	size.depth = max(size.depth+1, literalsDepth(directivesOf(selection), arguments))
	return size
}

// field measures a field with its children. Children of items below entries count once
// for each started hundred of requested entries.
func (m *meter) field(field *ast.Field, at place) measure {
	var below place
	times := 1
	switch {
	case at.root && field.Name == "entries":
		below = place{times: m.hundreds(field)}
	case at.times > 0 && field.Name == "items":
		times = at.times
	}
	size := m.selections(field.SelectionSet, below)
	return measure{fields: plus(1, product(times, size.fields)), depth: size.depth, visits: size.visits}
}

// spread measures a fragment. An unknown or recursive fragment has the measure 0, because
// validation rejects it later.
func (m *meter) spread(name string, at place) measure {
	key := fragmentPlace{name: name, place: at}
	size, seen := m.known[key]
	if !seen {
		m.known[key] = nil
		size = &measure{}
		if fragment := m.fragments.ForName(name); fragment != nil {
			*size = m.selections(fragment.SelectionSet, at)
		}
		m.known[key] = size
	}
	if size == nil {
		m.cycle = name
		return measure{}
	}
	return *size
}

// variablesDepth returns the largest depth of the types and default values of variables.
func variablesDepth(variables ast.VariableDefinitionList) (depth int) {
	for _, variable := range variables {
		lists := 0
		for t := variable.Type; t != nil && t.Elem != nil; t = t.Elem {
			lists++
		}
		depth = max(depth, lists, literalDepth(variable.DefaultValue), literalsDepth(variable.Directives, nil))
	}
	return depth
}

// literalsDepth returns the largest depth of the values of arguments, and of those of directives.
func literalsDepth(directives ast.DirectiveList, arguments ast.ArgumentList) (depth int) {
	for _, argument := range arguments {
		depth = max(depth, literalDepth(argument.Value))
	}
	for _, directive := range directives {
		depth = max(depth, literalsDepth(nil, directive.Arguments))
	}
	return depth
}

// literalDepth returns the number of lists and objects that are nested in a value.
func literalDepth(value *ast.Value) (depth int) {
	if value == nil || value.Kind != ast.ListValue && value.Kind != ast.ObjectValue {
		return 0
	}
	for _, child := range value.Children {
		depth = max(depth, literalDepth(child.Value))
	}
	return depth + 1
}

// directivesOf returns the directives of a selection.
func directivesOf(selection ast.Selection) ast.DirectiveList {
	switch s := selection.(type) {
	case *ast.Field:
		return s.Directives
	case *ast.InlineFragment:
		return s.Directives
	case *ast.FragmentSpread:
		return s.Directives
	}
	return nil
}

// skipped reports whether @skip or @include excludes a selection. It uses coerced
// variables.
func skipped(directives ast.DirectiveList, variables map[string]any) bool {
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		if given, ok := argument(directive.Arguments, "if", variables).(bool); ok && given == (directive.Name == "skip") {
			return true
		}
	}
	return false
}

// hundreds returns the limit of the field in hundreds of entries, rounded up.
func (m *meter) hundreds(field *ast.Field) int {
	limit, ok := argument(field.Arguments, "limit", m.variables).(int64)
	if !ok {
		limit = query.DefaultLimit
	}
	return int(max(1, (min(limit, math.MaxInt32)+99)/100))
}

// argument returns the value of an argument in the execution, or nil without one.
func argument(arguments ast.ArgumentList, name string, variables map[string]any) any {
	given := arguments.ForName(name)
	if given == nil {
		return nil
	}
	decoded, _ := given.Value.Value(variables)
	return decoded
}

// plus and product saturate at the largest reported number.
func plus(a, b int) int { return min(a+b, math.MaxInt32) }

func product(a, b int) int {
	if b != 0 && a > math.MaxInt32/b {
		return math.MaxInt32
	}
	return a * b
}
