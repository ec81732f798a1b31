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
	maxDocumentSize = 5 * maxComplexity // selections of all operations and fragments, after expansion of spreads
	maxFragments    = 500
	maxQueryErrors  = 20
)

// Sizes of the cache of documents.
const (
	documentsInCache = 32 << 20 // bytes, approximately
	bytesPerByte     = 32       // memory of a parsed document per byte of text
)

// documents parses and validates queries, and caches valid ones.
type documents struct {
	schema *ast.Schema
	rules  *rules.Rules
	valid  *otter.Cache[string, *ast.QueryDocument]
}

// withoutSuggestions are the replacements of rules that suggest similar names. The cost of
// suggestions grows with the square of the length of a name.
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
	// The cost of these rules grows at least with the square of the document.
	checks.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name) // replaced by checkMerging
	checks.RemoveRule(rules.NoFragmentCyclesRule.Name)             // replaced by limitSize
	checks.AddRule(representable.Name, representable.RuleFunc)
	return &documents{schema: schema, rules: checks, valid: otter.Must(&otter.Options[string, *ast.QueryDocument]{
		MaximumWeight: documentsInCache,
		Weigher:       weigh,
	})}
}

// weigh returns the approximate memory in bytes of a parsed document with its text.
func weigh(text string, _ *ast.QueryDocument) uint32 { return uint32(4096 + bytesPerByte*len(text)) }

// operation is the operation that a request executes.
type operation struct {
	document   *ast.QueryDocument
	definition *ast.OperationDefinition
	valid      bool           // the document was validated
	variables  map[string]any // coerced
}

// open parses the document and selects the operation of a request, without validating it.
func (d *documents) open(req *request) (*operation, *gqlerror.Error) {
	document, known := d.valid.GetIfPresent(req.query)
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
	return &operation{document: document, definition: definition, valid: known}, nil
}

// check validates an operation and coerces its variables. It checks the size limits
// first, because validation takes far longer than measuring.
func (d *documents) check(op *operation, req *request) gqlerror.List {
	if !op.valid {
		if err := limitSize(op.document); err != nil {
			return gqlerror.List{err}
		}
		if errs := d.validate(op.document); errs != nil {
			return errs
		}
		d.valid.Set(req.query, op.document)
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

// parse parses the text of a query.
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

// choose returns the operation with the name. Without a name there must be exactly one
// operation.
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

// unbindVariables removes the definitions that validation attached to variable uses. A
// fragment can be used by several operations, but has the definition of the operation
// that was validated last; its default would then apply to another operation. The coerced
// variables already contain the defaults of the executed operation.
func (d *documents) unbindVariables(document *ast.QueryDocument) {
	observers := &core.Events{}
	observers.OnValue(func(_ *core.Walker, value *ast.Value) { value.VariableDefinition = nil })
	core.Walk(d.schema, document, observers)
}
