package main

import (
	"fmt"
	"strings"

	graphql "github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

const argDirective = "//graphql:arg "

// argumentDoc is the content of a directive comment.
type argumentDoc struct {
	value       *graphql.Value // default; may be nil
	description string
}

// description returns the doc comment of a type or member as one line per paragraph,
// without directives.
func (w *walker) description(key string) string {
	paragraphs := strings.Split(strings.TrimSpace(w.docs[key].Text()), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// arguments parses the "//graphql:arg name=default description" lines of a method.
func (w *walker) arguments(key string) (map[string]argumentDoc, error) {
	arguments := map[string]argumentDoc{}
	if w.docs[key] == nil {
		return arguments, nil
	}
	for _, line := range w.docs[key].List {
		text, ok := strings.CutPrefix(line.Text, argDirective)
		if !ok {
			continue
		}
		head, description, _ := strings.Cut(strings.TrimSpace(text), " ")
		name, literal, has := strings.Cut(head, "=")
		argument := argumentDoc{description: description}
		if has {
			value, err := parseLiteral(literal)
			if err != nil {
				return nil, fmt.Errorf("default of %s: %w", name, err)
			}
			argument.value = value
		}
		arguments[name] = argument
	}
	return arguments, nil
}

// parseLiteral parses one GraphQL value.
func parseLiteral(literal string) (*graphql.Value, error) {
	document, err := parser.ParseQuery(&graphql.Source{Input: "{f(a:" + literal + ")}"})
	if err != nil {
		return nil, err
	}
	return document.Operations[0].SelectionSet[0].(*graphql.Field).Arguments[0].Value, nil
}
