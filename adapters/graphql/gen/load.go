package main

import (
	"fmt"
	"go/ast"
	"go/types"

	graphql "github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/tools/go/packages"
)

// load loads the Go package path and returns the schema that its types define.
func load(path string) (*graphql.SchemaDocument, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedDeps | packages.NeedImports,
	}, path)
	if err != nil {
		return nil, err
	}
	pkg := loaded[0]
	if len(pkg.Errors) > 0 {
		return nil, pkg.Errors[0]
	}
	query, ok := pkg.Types.Scope().Lookup("Query").(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s has no type Query", path)
	}
	w := &walker{docs: readDocs(pkg.Syntax), document: &graphql.SchemaDocument{}}
	if err := w.define(query, false); err != nil {
		return nil, err
	}
	return w.document, nil
}

// docs holds the doc comments of a package by "Type" or "Type.Member".
type docs map[string]*ast.CommentGroup

// readDocs collects the doc comments of types, struct fields and interface methods.
func readDocs(files []*ast.File) docs {
	found := docs{}
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				found.addDecl(decl)
			}
		}
	}
	return found
}

func (d docs) addDecl(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		d[spec.Name.Name] = spec.Doc
		if spec.Doc == nil {
			d[spec.Name.Name] = decl.Doc
		}
		switch t := spec.Type.(type) {
		case *ast.StructType:
			d.addMembers(spec.Name.Name, t.Fields)
		case *ast.InterfaceType:
			d.addMembers(spec.Name.Name, t.Methods)
		}
	}
}

func (d docs) addMembers(owner string, members *ast.FieldList) {
	for _, member := range members.List {
		for _, name := range member.Names {
			d[owner+"."+name.Name] = member.Doc
		}
	}
}
