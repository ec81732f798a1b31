package graphql

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"imprimatur/core/fieldtype"
)

// coerceVariables converts the variables to the types that the operation declares, as the
// GraphQL specification requires: no conversion between strings and numbers, and Int has
// 32 bits. Undeclared variables are dropped.
func coerceVariables(schema *ast.Schema, operation *ast.OperationDefinition, sent map[string]any) (map[string]any, *gqlerror.Error) {
	coerced := make(map[string]any, len(operation.VariableDefinitions))
	for _, definition := range operation.VariableDefinitions {
		path := "$" + definition.Variable
		value, ok := sent[definition.Variable]
		if !ok && definition.DefaultValue != nil {
			value, err := definition.DefaultValue.Value(nil)
			if err != nil {
				return nil, queryError(codeVariable, "%s: %s", path, err)
			}
			coerced[definition.Variable] = value
			continue
		}
		if !ok && !definition.Type.NonNull {
			continue
		}
		value, err := coerce(schema, definition.Type, path, value)
		if err != nil {
			err.Locations = []gqlerror.Location{{Line: definition.Position.Line, Column: definition.Position.Column}}
			return nil, err
		}
		coerced[definition.Variable] = value
	}
	return coerced, nil
}

// coerce converts value to type t. path is its location for errors.
func coerce(schema *ast.Schema, t *ast.Type, path string, value any) (any, *gqlerror.Error) {
	if value == nil {
		if t.NonNull {
			return nil, queryError(codeVariable, "%s must be a %s and not null", path, t)
		}
		return nil, nil
	}
	if t.Elem != nil {
		return coerceList(schema, t, path, value)
	}
	definition := schema.Types[t.NamedType]
	if definition.Kind == ast.InputObject {
		return coerceObject(schema, definition, path, value)
	}
	coerced, ok := coerceScalar(t.NamedType, value)
	if !ok {
		return nil, queryError(codeVariable, "%s must be a %s", path, t)
	}
	return coerced, nil
}

// coerceList accepts a list, or a single value as a list of one.
func coerceList(schema *ast.Schema, t *ast.Type, path string, value any) (any, *gqlerror.Error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	coerced := make([]any, len(list))
	for i, element := range list {
		var err *gqlerror.Error
		if coerced[i], err = coerce(schema, t.Elem, fmt.Sprintf("%s[%d]", path, i), element); err != nil {
			return nil, err
		}
	}
	return coerced, nil
}

func coerceObject(schema *ast.Schema, definition *ast.Definition, path string, value any) (any, *gqlerror.Error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, queryError(codeVariable, "%s must be a %s", path, definition.Name)
	}
	for name := range object {
		if definition.Fields.ForName(name) == nil {
			return nil, queryError(codeVariable, "%s: unknown field %s of %s", path, quote(name), definition.Name)
		}
	}
	coerced := make(map[string]any, len(object))
	for _, field := range definition.Fields {
		member, ok := object[field.Name]
		if !ok && !field.Type.NonNull {
			continue
		}
		var err *gqlerror.Error
		if coerced[field.Name], err = coerce(schema, field.Type, path+"."+field.Name, member); err != nil {
			return nil, err
		}
	}
	return coerced, nil
}

// coerceScalar converts a decoded JSON value to a scalar.
func coerceScalar(name string, value any) (any, bool) {
	switch name {
	case "Int":
		return coerceInt(value)
	case "String":
		text, ok := value.(string)
		return text, ok
	case "Boolean":
		truth, ok := value.(bool)
		return truth, ok
	case "ID":
		switch id := value.(type) {
		case string:
			return id, true
		case json.Number:
			_, err := strconv.ParseInt(id.String(), 10, 64)
			return id.String(), err == nil
		}
		return nil, false
	case "Float":
		number, ok := value.(json.Number)
		if !ok {
			return nil, false
		}
		return fieldtype.ExactNumber(number.String())
	default:
		return value, true
	}
}

// coerceInt accepts a whole number of 32 bits in any notation.
func coerceInt(value any) (any, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, false
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return nil, false
	}
	return int64(f), true
}

// representable rejects literals that the library accepts but cannot represent: an Int of
// more than 32 bits, and in a JSONObject an unquoted name or a number that a double does
// not hold exactly. It makes a whole number of more than 64 bits a Float, as which the library
// can represent it.
var representable = core.Rule{
	Name: "RepresentableLiterals",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnValue(func(_ *core.Walker, value *ast.Value) {
			if value.Definition == nil || value.ExpectedType == nil {
				return
			}
			switch value.Definition.Name {
			case "Int":
				if _, err := strconv.ParseInt(value.Raw, 10, 32); value.Kind == ast.IntValue && err != nil {
					addError(core.Message("Int cannot represent non 32-bit signed integer value: %s", quote(value.Raw)), core.At(value.Position))
				}
			case "JSONObject":
				checkJSONLiteral(value, addError)
			}
		})
	},
}

// checkJSONLiteral checks a literal and its children.
func checkJSONLiteral(value *ast.Value, addError core.AddErrFunc) {
	switch value.Kind {
	case ast.EnumValue:
		addError(core.Message("JSONObject cannot represent %s: strings must be quoted", quote(value.Raw)), core.At(value.Position))
	case ast.IntValue, ast.FloatValue:
		_, exact := fieldtype.ExactNumber(value.Raw)
		if _, err := strconv.ParseInt(value.Raw, 10, 64); err != nil {
			value.Kind = ast.FloatValue
		}
		if _, err := value.Value(nil); err != nil || value.Kind == ast.FloatValue && !exact {
			addError(core.Message("JSONObject cannot represent the number %s", quote(value.Raw)), core.At(value.Position))
		}
	case ast.ListValue, ast.ObjectValue:
		for _, child := range value.Children {
			checkJSONLiteral(child.Value, addError)
		}
	}
}
