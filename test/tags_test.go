package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// jsonTag matches the tags that core and ports may have: JSON that is stored, hashed or signed.
var jsonTag = regexp.MustCompile("^`json:\"[^\"]*\"`$")

// TestCoreHasNoTransportTags checks that structs of core and ports have no tags besides json. The
// tags that describe the APIs are in adapters/wire.
func TestCoreHasNoTransportTags(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"../core", "../ports"} {
		err := filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if field, ok := node.(*ast.Field); ok && field.Tag != nil && !jsonTag.MatchString(field.Tag.Value) {
					t.Errorf("%s has the tag %s: only json is allowed here", files.Position(field.Pos()), field.Tag.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
