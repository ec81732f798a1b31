package graphql

import (
	"strings"

	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Limits of a document.
const (
	maxTokens       = 15_000
	maxDepth        = 20
	maxComplexity   = 1000
	maxDocumentSize = 5 * maxComplexity // selections of all operations and fragments, spread out
	maxFragments    = 500
	maxQueryErrors  = 20
)

// Sizes in the cache of documents.
const (
	documentsInCache = 32 << 20 // bytes, more or less
	bytesPerByte     = 32       // a parsed document is that much larger than its text
)

// documents parses and validates queries, and remembers those that are sound.
type documents struct {
	schema *ast.Schema
	rules  *rules.Rules
	sound  *otter.Cache[string, *ast.QueryDocument]
}

// withoutSuggestions are the rules that else guess what was meant, at a cost that
// grows with the square of a name's length.
var withoutSuggestions = []core.Rule{
	rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
	rules.KnownArgumentNamesRuleWithoutSuggestions,
	rules.KnownTypeNamesRuleWithoutSuggestions,
	rules.ScalarLeafsRuleWithoutSuggestions,
	rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
}

func newDocuments(schema *ast.Schema) *documents {
	checks := rules.NewDefaultRules()
	for _, plain := range withoutSuggestions {
		checks.RemoveRule(strings.TrimSuffix(plain.Name, "WithoutSuggestions"))
		checks.AddRule(plain.Name, plain.RuleFunc)
	}
	// What these do takes time that grows with the square of the document, and more.
	checks.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name) // checkMerging does it
	checks.RemoveRule(rules.NoFragmentCyclesRule.Name)             // limitSize does it
	checks.AddRule(representable.Name, representable.RuleFunc)
	return &documents{schema: schema, rules: checks, sound: otter.Must(&otter.Options[string, *ast.QueryDocument]{
		MaximumWeight: documentsInCache,
		Weigher:       weigh,
	})}
}

// weigh returns about how many bytes a parsed document takes with its text.
func weigh(text string, _ *ast.QueryDocument) uint32 { return uint32(4096 + bytesPerByte*len(text)) }

// operation is what a request asks to be executed.
type operation struct {
	document   *ast.QueryDocument
	definition *ast.OperationDefinition
	sound      bool           // the document was validated
	variables  map[string]any // coerced
}

// open finds the operation that a request is about. It is not checked yet.
func (d *documents) open(req *request) (*operation, *gqlerror.Error) {
	document, known := d.sound.GetIfPresent(req.query)
	if !known {
		var err *gqlerror.Error
		if document, err = parse(req.query); err != nil {
			return nil, err
		}
	}
	definition, err := choose(document, req.operation)
	if err != nil {
		return nil, err
	}
	return &operation{document: document, definition: definition, sound: known}, nil
}

// check makes an operation ready to be executed, or says what is wrong with it.
// Nothing is validated that is over the limit of a document: validating takes far
// longer than measuring.
func (d *documents) check(op *operation, req *request) gqlerror.List {
	if !op.sound {
		if err := limitSize(op.document); err != nil {
			return gqlerror.List{err}
		}
		if errs := d.validate(op.document); errs != nil {
			return errs
		}
		d.sound.Set(req.query, op.document)
	}
	var err *gqlerror.Error
	if op.variables, err = coerceVariables(d.schema, op.definition, req.variables); err != nil {
		return gqlerror.List{err}
	}
	if err := refuseNulls(op); err != nil {
		return gqlerror.List{err}
	}
	if err := limitComplexity(op); err != nil {
		return gqlerror.List{err}
	}
	return nil
}

// parse reads the query's text.
func parse(query string) (*ast.QueryDocument, *gqlerror.Error) {
	query, err := joinSurrogates(query)
	if err != nil {
		return nil, queryError(codeParse, "%s", err)
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: query}, maxTokens)
	if err != nil {
		return nil, parseError(err)
	}
	if len(document.Operations) == 0 {
		return nil, queryError(codeValidation, "the document has no operation")
	}
	if len(document.Fragments) > maxFragments {
		return nil, queryError(codeTooLarge, "the document has more than %d fragments", maxFragments)
	}
	return document, nil
}

// choose returns the operation of that name; without a name there must be one only.
func choose(document *ast.QueryDocument, name string) (*ast.OperationDefinition, *gqlerror.Error) {
	if name == "" && len(document.Operations) > 1 {
		return nil, queryError(codeValidation, "operationName is missing: the document has %d operations", len(document.Operations))
	}
	for _, operation := range document.Operations {
		if name == "" || operation.Name == name {
			return operation, nil
		}
	}
	return nil, queryError(codeValidation, "the document has no operation %s", quote(name))
}

// validate checks the document against the schema.
func (d *documents) validate(document *ast.QueryDocument) gqlerror.List {
	errs := validator.ValidateWithRules(d.schema, document, d.rules)
	if len(errs) == 0 {
		if err := checkMerging(document); err != nil {
			return gqlerror.List{err}
		}
	}
	if len(errs) > maxQueryErrors {
		errs = errs[:maxQueryErrors]
	}
	for _, err := range errs {
		err.Message = shorten(err.Message)
		err.Extensions = map[string]any{"code": codeValidation}
	}
	d.unbindVariables(document)
	return errs
}

// unbindVariables takes from each use of a variable the definition that validation
// put there. In a fragment that is the definition of one operation, whichever was
// validated last, and its default would be used for a variable that another operation
// leaves unset. The defaults of the operation that is executed are among its variables.
func (d *documents) unbindVariables(document *ast.QueryDocument) {
	observers := &core.Events{}
	observers.OnValue(func(_ *core.Walker, value *ast.Value) { value.VariableDefinition = nil })
	core.Walk(d.schema, document, observers)
}
