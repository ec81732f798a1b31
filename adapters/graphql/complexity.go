package graphql

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"imprimatur/core"
)

// measure is the size of a selection: how complex it is, how deep its fields nest,
// and how many selections of any kind one comes by in walking through it.
type measure struct{ fields, depth, visits int }

// place says where a selection stands, for what is below items counts more often.
type place struct {
	kind  placeKind
	times int // atConnection: how often what is below items counts
}

type placeKind uint8

const (
	anywhere     placeKind = iota // what is selected counts once
	atRoot                        // directly in an operation
	atConnection                  // directly under entries
)

// meter measures selections by names alone, so that it can be used before anything
// is validated. Each fragment is measured once for each place it is spread in,
// which keeps the work proportional to the document however it spreads.
type meter struct {
	fragments ast.FragmentDefinitionList
	variables map[string]any             // nil: @skip and @include are not looked at
	defaults  ast.VariableDefinitionList // of the operation
	known     map[fragmentPlace]*measure // nil while it is being measured
	cycle     string                     // a fragment that spreads itself
}

type fragmentPlace struct {
	name string
	place
}

// limitComplexity refuses an operation that selects more than maxComplexity fields.
func limitComplexity(document *ast.QueryDocument, operation *ast.OperationDefinition, variables map[string]any) *gqlerror.Error {
	if variables == nil {
		variables = map[string]any{}
	}
	m := meter{fragments: document.Fragments, variables: variables, defaults: operation.VariableDefinitions, known: map[fragmentPlace]*measure{}}
	size := m.selections(operation.SelectionSet, place{kind: atRoot})
	if size.depth > maxDepth {
		return tooDeep()
	}
	if size.fields > maxComplexity {
		return queryError(codeComplexity, "Query is too complex: %d. Maximum allowed complexity: %d.", size.fields, maxComplexity)
	}
	return nil
}

// limitSize refuses a document whose operations and fragments are large together,
// those that are not executed too: all of them are validated.
func limitSize(document *ast.QueryDocument) (fault *gqlerror.Error) {
	m := meter{fragments: document.Fragments, known: map[fragmentPlace]*measure{}}
	total := 0
	add := func(set ast.SelectionSet) *gqlerror.Error {
		size := m.selections(set, place{})
		if size.depth > maxDepth {
			return tooDeep()
		}
		if total = plus(total, size.visits); total > maxDocumentSize {
			return queryError(codeTooLarge, "the document has more than %d selections in all", maxDocumentSize)
		}
		return nil
	}
	defer func() {
		if fault == nil && m.cycle != "" {
			fault = queryError(codeValidation, "the fragment %s spreads itself", quote(m.cycle))
		}
	}()
	for _, operation := range document.Operations {
		if err := add(operation.SelectionSet); err != nil {
			return err
		}
	}
	for _, fragment := range document.Fragments {
		if err := add(fragment.SelectionSet); err != nil {
			return err
		}
	}
	return nil
}

func tooDeep() *gqlerror.Error {
	return queryError(codeTooLarge, "the query nests deeper than %d levels", maxDepth)
}

// selections measures what one selection set selects.
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
	switch s := selection.(type) {
	case *ast.Field:
		if m.skipped(s.Directives) {
			return measure{}
		}
		return m.field(s, at)
	case *ast.InlineFragment:
		if m.skipped(s.Directives) {
			return measure{}
		}
		return m.selections(s.SelectionSet, at)
	case *ast.FragmentSpread:
		if m.skipped(s.Directives) {
			return measure{}
		}
		return m.spread(s.Name, at)
	}
	return measure{}
}

// field counts itself and what is below it: below items under entries once for
// each started hundred of entries that may come.
func (m *meter) field(field *ast.Field, at place) measure {
	var below place
	times := 1
	switch {
	case at.kind == atRoot && field.Name == "entries":
		below = place{kind: atConnection, times: m.hundreds(field)}
	case at.kind == atConnection && field.Name == "items":
		times = at.times
	}
	size := m.selections(field.SelectionSet, below)
	return measure{fields: plus(1, product(times, size.fields)), depth: size.depth + 1, visits: size.visits}
}

// spread measures a fragment. One that is unknown or spreads itself counts
// nothing: it is refused afterwards.
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

// skipped reports whether @skip or @include leaves the selection out.
func (m *meter) skipped(directives ast.DirectiveList) bool {
	if m.variables == nil {
		return false
	}
	for _, directive := range directives {
		if directive.Name != "skip" && directive.Name != "include" {
			continue
		}
		if given, ok := m.argument(directive.Arguments, "if").(bool); ok && given == (directive.Name == "skip") {
			return true
		}
	}
	return false
}

// hundreds returns how many hundreds of entries the field's limit has begun.
func (m *meter) hundreds(field *ast.Field) int {
	limit := int64(core.DefaultLimit)
	switch given := m.argument(field.Arguments, "limit").(type) {
	case int64:
		limit = given
	case json.Number:
		if n, err := strconv.ParseInt(given.String(), 10, 64); err == nil {
			limit = n
		}
	}
	return int(max(1, min((min(limit, math.MaxInt32)+99)/100, math.MaxInt32)))
}

// argument returns an argument's value as it was written or sent; nil when it was
// not, or makes no sense.
func (m *meter) argument(arguments ast.ArgumentList, name string) any {
	argument := arguments.ForName(name)
	if argument == nil || argument.Value == nil {
		return nil
	}
	value := argument.Value
	if value.Kind == ast.Variable {
		if sent, ok := m.variables[value.Raw]; ok {
			return sent
		}
		definition := m.defaults.ForName(value.Raw)
		if definition == nil || definition.DefaultValue == nil {
			return nil
		}
		value = definition.DefaultValue
	}
	if value.Kind != ast.IntValue && value.Kind != ast.BooleanValue {
		return nil
	}
	decoded, _ := value.Value(nil)
	return decoded
}

// plus and product stop at the largest number that is worth telling.
func plus(a, b int) int { return min(a+b, math.MaxInt32) }

func product(a, b int) int {
	if b != 0 && a > math.MaxInt32/b {
		return math.MaxInt32
	}
	return a * b
}
