package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	graphql "github.com/vektah/gqlparser/v2/ast"
)

// walker converts all types that are reachable from Query to definitions.
type walker struct {
	docs     docs
	document *graphql.SchemaDocument
}

// define adds the definition of a named type unless it exists or is built in. input marks a
// type of an argument.
func (w *walker) define(name *types.TypeName, input bool) error {
	if name.Name() == "ID" || w.document.Definitions.ForName(name.Name()) != nil {
		return nil
	}
	definition := &graphql.Definition{Name: name.Name(), Description: w.description(name.Name())}
	w.document.Definitions = append(w.document.Definitions, definition)
	if marshal, _, _ := types.LookupFieldOrMethod(name.Type(), true, nil, "MarshalGQL"); marshal != nil {
		definition.Kind = graphql.Scalar
		return nil
	}
	switch t := name.Type().Underlying().(type) {
	case *types.Interface:
		definition.Kind = graphql.Object
		return w.methods(definition, t)
	case *types.Struct:
		definition.Kind = graphql.Object
		if input {
			definition.Kind = graphql.InputObject
		}
		return w.members(definition, t, input)
	default:
		return fmt.Errorf("%s must be a struct, an interface or a scalar", name.Name())
	}
}

// members adds the exported fields of a struct.
func (w *walker) members(definition *graphql.Definition, t *types.Struct, input bool) error {
	for member := range t.Fields() {
		if !member.Exported() {
			continue
		}
		typ, err := w.typeOf(member.Type(), input)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", definition.Name, member.Name(), err)
		}
		definition.Fields = append(definition.Fields, &graphql.FieldDefinition{
			Name:        fieldName(member.Name()),
			Description: w.description(definition.Name + "." + member.Name()),
			Type:        typ,
		})
	}
	return nil
}

// methods adds the methods of an interface as fields with arguments, in source order.
func (w *walker) methods(definition *graphql.Definition, t *types.Interface) error {
	bySource := func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) }
	for _, method := range slices.SortedFunc(t.Methods(), bySource) {
		field, err := w.method(definition.Name, method)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", definition.Name, method.Name(), err)
		}
		definition.Fields = append(definition.Fields, field)
	}
	return nil
}

// method converts "Name(ctx, arguments…) (Result, error)" to a field.
func (w *walker) method(owner string, method *types.Func) (*graphql.FieldDefinition, error) {
	signature := method.Signature()
	if signature.Results().Len() != 2 || signature.Params().Len() < 1 {
		return nil, fmt.Errorf("method must take a context and return a value and an error")
	}
	typ, err := w.typeOf(signature.Results().At(0).Type(), false)
	if err != nil {
		return nil, err
	}
	key := owner + "." + method.Name()
	field := &graphql.FieldDefinition{Name: fieldName(method.Name()), Description: w.description(key), Type: typ}
	arguments, err := w.arguments(key)
	if err != nil {
		return nil, err
	}
	for i := 1; i < signature.Params().Len(); i++ {
		param := signature.Params().At(i)
		typ, err := w.typeOf(param.Type(), true)
		if err != nil {
			return nil, err
		}
		argument := arguments[param.Name()]
		delete(arguments, param.Name())
		field.Arguments = append(field.Arguments, &graphql.ArgumentDefinition{
			Name: param.Name(), Type: typ, Description: argument.description, DefaultValue: argument.value,
		})
	}
	for name := range arguments {
		return nil, fmt.Errorf("unknown argument %s", name)
	}
	return field, nil
}

// typeOf returns the GraphQL type of a Go type, and defines named types. An input slice is
// nullable, because clients may omit it.
func (w *walker) typeOf(t types.Type, input bool) (*graphql.Type, error) {
	switch t := t.(type) {
	case *types.Pointer:
		typ, err := w.typeOf(t.Elem(), input)
		if typ != nil {
			typ.NonNull = false
		}
		return typ, err
	case *types.Slice:
		elem, err := w.typeOf(t.Elem(), input)
		return &graphql.Type{Elem: elem, NonNull: !input}, err
	case *types.Basic:
		name, ok := basics[t.Kind()]
		if !ok {
			return nil, fmt.Errorf("%s has no GraphQL type", t)
		}
		return graphql.NonNullNamedType(name, nil), nil
	case *types.Named:
		return graphql.NonNullNamedType(t.Obj().Name(), nil), w.define(t.Obj(), input)
	default:
		return nil, fmt.Errorf("%s has no GraphQL type", t)
	}
}

// basics are the built-in scalars of Go's basic types.
var basics = map[types.BasicKind]string{types.String: "String", types.Int32: "Int", types.Bool: "Boolean"}

// fieldName returns the GraphQL name of a Go name, with initialisms written as words: ID
// becomes id, FullURL fullUrl and ThumbWebpURL thumbWebpUrl.
func fieldName(name string) string {
	var out strings.Builder
	upper := func(i int) bool { return i >= 0 && i < len(name) && 'A' <= name[i] && name[i] <= 'Z' }
	for i := range len(name) {
		lower := i == 0 || upper(i) && upper(i-1) && (upper(i+1) || i+1 == len(name))
		if lower {
			out.WriteString(strings.ToLower(name[i : i+1]))
		} else {
			out.WriteByte(name[i])
		}
	}
	return out.String()
}
