package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// changedFile matches a line of git show --stat.
	changedFile = regexp.MustCompile(`^ (\S+) +\| +\d+ `)
	// changedFiles matches the last line of git show --stat.
	changedFiles = regexp.MustCompile(`^ (\d+) files changed`)
	// quotedPath matches a path of the repository in backquotes.
	quotedPath = regexp.MustCompile("`((?:adapters|api|app|core|ports|test)/[^` ]*)`")
)

// TestContributingNamesFiles checks that the files that app/docs/contributing.md names exist, except for migrations of its
// examples, and that each example counts its files.
func TestContributingNamesFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../app/docs/contributing.md")
	require.NoError(t, err)
	named, inExample, examples := 0, 0, 0
	exists := func(path string) {
		named++
		if filepath.Ext(path) == ".sql" {
			path = filepath.Dir(path)
		}
		if _, err := os.Stat(filepath.Join("..", path)); err != nil {
			t.Errorf("contributing.md names %s: %v", path, err)
		}
	}
	for line := range strings.Lines(string(text)) {
		for _, found := range quotedPath.FindAllStringSubmatch(line, -1) {
			exists(found[1])
		}
		if found := changedFile.FindStringSubmatch(line); found != nil {
			inExample++
			exists(found[1])
		}
		if found := changedFiles.FindStringSubmatch(line); found != nil {
			require.Equal(t, found[1], strconv.Itoa(inExample), "the files of an example")
			examples++
		}
		if strings.HasPrefix(line, "```") {
			inExample = 0
		}
	}
	require.Equal(t, 3, examples)
	require.Greater(t, named, 50)
}
