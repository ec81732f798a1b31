package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxMethods is the largest number of methods that an interface of ports declares itself. A larger
// one is composed of smaller ones, so that a use case can take only what it needs.
const maxMethods = 7

// TestPortsAreSmall checks the sizes of the interfaces between use cases and adapters.
func TestPortsAreSmall(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../ports/*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if declared, ok := spec.Type.(*ast.InterfaceType); ok {
				seen++
				if n := methods(declared); n > maxMethods {
					t.Errorf("ports.%s declares %d methods, more than %d", spec.Name.Name, n, maxMethods)
				}
			}
			return true
		})
	}
	if seen < 30 {
		t.Errorf("found only %d interfaces", seen)
	}
}

// methods returns how many methods the interface declares itself.
func methods(declared *ast.InterfaceType) (n int) {
	for _, m := range declared.Methods.List {
		n += len(m.Names) // none for an embedded interface
	}
	return n
}
