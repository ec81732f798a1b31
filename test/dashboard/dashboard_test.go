// Package dashboard tests the web application of adapters/dashboard: its sources, the built files,
// their size, and its pages in a browser with the real program.
package dashboard

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

const (
	sources = "../../adapters/dashboard/web"
	built   = "../../adapters/dashboard/dist"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// install installs the npm packages of the lock file and generates the types of the API, once.
var install = sync.OnceValues(func() (string, error) {
	var all []byte
	for _, args := range [][]string{{"ci", "--ignore-scripts", "--no-progress"}, {"run", "types"}} {
		command := exec.Command("npm", args...)
		command.Dir = sources
		output, err := command.CombinedOutput()
		all = append(all, output...)
		if err != nil {
			return string(all), err
		}
	}
	return string(all), nil
})

// run runs a command that npm installed. environment has lines like NAME=value.
func run(t *testing.T, environment []string, name string, args ...string) {
	t.Helper()
	execute(t, environment, filepath.Join("node_modules", ".bin", name), args...)
}

// execute runs a command in the sources and prints its output as it comes, so that a run that is
// ended for its length shows how far it came.
func execute(t *testing.T, environment []string, name string, args ...string) {
	t.Helper()
	if output, err := install(); err != nil {
		t.Fatalf("npm: %v\n%s", err, output)
	}
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = sources
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = os.Stdout, os.Stdout
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestSources checks the types and texts, runs the linter and the tests of single functions.
func TestSources(t *testing.T) {
	execute(t, nil, "npm", "run", "check")
	run(t, nil, "oxlint", "--deny-warnings", "src", "tests")
	run(t, nil, "vitest", "run")
}

// TestBuiltIsCurrent builds the sources and compares the result with the embedded files.
func TestBuiltIsCurrent(t *testing.T) {
	fresh := t.TempDir()
	run(t, nil, "vite", "build", "--outDir", fresh, "--emptyOutDir")
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
	manifest, err := os.ReadFile(filepath.Join(built, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var chunks map[string]chunk
	if err := json.Unmarshal(manifest, &chunks); err != nil {
		t.Fatal(err)
	}
	for _, page := range []struct {
		name   string
		chunks []string
		texts  []string // areas
		limit  int64    // kB
	}{
		{"inbox and review", []string{"index.html", "src/inbox/inbox.tsx", "src/review/review.tsx"}, []string{"common", "inbox", "review"}, 170},
		{"editor with rich text", []string{"index.html", "src/editor/editor.tsx", "src/editor/richtext/control.tsx"}, []string{"common", "editor"}, 245},
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

// TestPages runs the tests in web/tests in Chromium, against the demo on both engines.
func TestPages(t *testing.T) {
	chromium := browser(t)
	for _, engine := range []struct {
		name     string
		settings func(t *testing.T) []string
		tests    []string // arguments of Playwright that select tests; none means all
	}{
		{"SQLite", func(*testing.T) []string { return nil }, nil},
		// The appearance of pages does not depend on the database: only the stories of decisions.
		{"Postgres", func(t *testing.T) []string { return []string{"--database-url", postgrestest.New(t)} }, []string{"story", "reviewer", "-g", "three reviewers decide|lost a race|an invited reviewer"}},
	} {
		t.Run(engine.name, func(t *testing.T) {
			demo, _ := program.Demo(t, engine.settings(t)...)
			run(t, []string{
				"CHROMIUM=" + chromium, "DEMO=" + filepath.Join(demo.Dir, "var", "demo", "demo.json"), "RESULTS=" + t.TempDir(),
			}, "playwright", append([]string{"test"}, engine.tests...)...)
		})
	}
}

// browser returns the path of Chromium. The headless shell needs a third less processor time.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("these tests need Chromium: apt-get install chromium-headless-shell")
	return ""
}
