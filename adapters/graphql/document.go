package graphql

import (
	"math"

	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Limits of a document.
const (
	maxTokens        = 15_000
	maxDepth         = 20
	maxComplexity    = 1000
	maxDocumentSize  = 5 * maxComplexity // fields of all operations, fragments spread out
	maxQueryErrors   = 20
	documentsInCache = 32 << 20 // bytes, more or less
	bytesPerByte     = 32       // a parsed document is that much larger than its text
)

// documents parses and validates queries, and remembers those that are sound.
type documents struct {
	schema *ast.Schema
	rules  *rules.Rules
	sound  *otter.Cache[string, *ast.QueryDocument]
}

func newDocuments(schema *ast.Schema) *documents {
	checks := rules.NewDefaultRules()
	checks.AddRule(representable.Name, representable.RuleFunc)
	return &documents{schema: schema, rules: checks, sound: newCache[*ast.QueryDocument](documentsInCache / bytesPerByte)}
}

// newCache returns a cache by text that holds about that many bytes of texts.
func newCache[V any](bytes uint64) *otter.Cache[string, V] {
	return otter.Must(&otter.Options[string, V]{
		MaximumWeight: bytes,
		Weigher:       func(text string, _ V) uint32 { return uint32(min(len(text)+128, math.MaxInt32)) },
	})
}

// operation is what a request asks to be executed.
type operation struct {
	document   *ast.QueryDocument
	definition *ast.OperationDefinition
	variables  map[string]any // coerced
}

// operation makes a request's query ready to be executed, or says all that is
// wrong with it. Nothing is validated that is over a limit: validating takes far
// longer than measuring.
func (d *documents) operation(req *request) (*operation, gqlerror.List) {
	document, known := d.sound.GetIfPresent(req.query)
	if !known {
		var err *gqlerror.Error
		if document, err = parse(req.query); err != nil {
			return nil, gqlerror.List{err}
		}
	}
	definition, err := choose(document, req.operation)
	if err != nil {
		return nil, gqlerror.List{err}
	}
	if err := limitComplexity(document, definition, req.variables); err != nil {
		return nil, gqlerror.List{err}
	}
	if !known {
		if err := limitSize(document); err != nil {
			return nil, gqlerror.List{err}
		}
		if errs := d.validate(document); errs != nil {
			return nil, errs
		}
		d.sound.Set(req.query, document)
	}
	variables, err := coerceVariables(d.schema, definition, req.variables)
	if err != nil {
		return nil, gqlerror.List{err}
	}
	return &operation{document: document, definition: definition, variables: variables}, nil
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
	if len(errs) > maxQueryErrors {
		errs = errs[:maxQueryErrors]
	}
	for _, err := range errs {
		err.Extensions = map[string]any{"code": codeValidation}
	}
	return errs
}
