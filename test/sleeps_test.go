package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSleepsSayWhy checks that tests wait for conditions (package await) or in a bubble of synctest. Where a test
// lets real time pass on purpose, such as a slow client, a comment on the line says why.
func TestSleepsSayWhy(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("..", func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			switch path { // programs that are no tests, and no sources of Go
			case "../test/bench", "../test/soak", "../var", "../.git", "../.tools", "../adapters/dashboard/web":
				return filepath.SkipDir
			}
			if e.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") && (!strings.HasPrefix(path, "../test/") || !strings.HasSuffix(path, ".go")) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte(`"testing/synctest"`)) {
			return err
		}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			if _, after, found := bytes.Cut(line, []byte("time.Sleep(")); found && !bytes.Contains(after, []byte(" // ")) {
				t.Errorf("%s:%d sleeps without a reason", path, number)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
