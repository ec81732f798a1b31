// Package dashboard tests the web application of adapters/dashboard: its sources, the built files and
// their size. The packages below it test the pages in browsers, with the real program.
package dashboard

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"imprimatur/test/dashboard/pages"
)

const built = "../../adapters/dashboard/dist"

// TestSources checks the types and texts, runs the linter and the tests of single functions.
func TestSources(t *testing.T) {
	generate(t)
	pages.Command(t, nil, "npm", "run", "check")
	run(t, "oxlint", "--deny-warnings", "src", "tests")
	run(t, "vitest", "run")
}

var generated sync.Once

// generate generates the types of the API, once.
func generate(t *testing.T) {
	t.Helper()
	generated.Do(func() { pages.Command(t, nil, "npm", "run", "types") })
}

// run runs a command that npm installed.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	pages.Command(t, nil, filepath.Join("node_modules", ".bin", name), args...)
}

// TestBuiltIsCurrent builds the sources and compares the result with the embedded files.
func TestBuiltIsCurrent(t *testing.T) {
	fresh := t.TempDir()
	generate(t)
	run(t, "vite", "build", "--outDir", fresh, "--emptyOutDir")
	want, got := files(t, fresh), files(t, built)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Fatalf("%s is stale: run go tool task dashboard", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Fatalf("stale files: run go tool task dashboard: %v", slices.Sorted(maps.Keys(got)))
	}
}

// files returns the uncompressed files of a directory by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		var content io.Reader = file
		name, compressed := strings.CutSuffix(strings.TrimPrefix(path, dir), ".br")
		if compressed {
			content = brotli.NewReader(file)
		}
		text, err := io.ReadAll(content)
		found[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// chunk is a member of the manifest that Vite writes.
type chunk struct {
	File    string
	Imports []string // chunks that are loaded with it
}

// TestSize checks how many compressed bytes of scripts a browser loads to show a page.
func TestSize(t *testing.T) {
	manifest, err := os.Open(filepath.Join(built, "manifest.json.br"))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	var chunks map[string]chunk
	if err := json.NewDecoder(brotli.NewReader(manifest)).Decode(&chunks); err != nil {
		t.Fatal(err)
	}
	for _, page := range []struct {
		name   string
		chunks []string
		texts  []string // areas
		limit  int64    // kB
	}{
		{"inbox and review", []string{"index.html", "src/inbox/inbox.tsx", "src/review/review.tsx"}, []string{"common", "inbox", "review"}, 174},
		{"editor with rich text", []string{"index.html", "src/editor/editor.tsx", "src/editor/richtext/control.tsx"}, []string{"common", "editor"}, 250},
	} {
		names := map[string]bool{}
		for _, name := range page.chunks {
			collect(t, chunks, name, names)
		}
		for _, area := range page.texts {
			collect(t, chunks, "src/texts/de.ts?"+area, names) // longer than the English ones
		}
		var bytes int64
		for name := range names {
			info, err := os.Stat(filepath.Join(built, name+".br"))
			if err != nil {
				t.Fatal(err)
			}
			bytes += info.Size()
		}
		t.Logf("%s: %d bytes", page.name, bytes)
		if bytes > page.limit*1000 {
			t.Errorf("%s: %d bytes, want at most %d kB", page.name, bytes, page.limit)
		}
	}
}

// collect adds the files of a chunk and of its imports to names.
func collect(t *testing.T, chunks map[string]chunk, name string, names map[string]bool) {
	t.Helper()
	c, found := chunks[name]
	if !found {
		t.Fatalf("the manifest has no chunk %s", name)
	}
	if names[c.File] {
		return
	}
	names[c.File] = true
	for _, imported := range c.Imports {
		collect(t, chunks, imported, names)
	}
}
