package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/chromium"
	"imprimatur/test/program"
)

var copied = regexp.MustCompile(`(\d+) changes, (\d+) entries`)

// TestExampleSite has the demo build and serve api/examples/astro, and clicks through it. The build reads everything, and
// the server what has changed since.
func TestExampleSite(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../api/examples")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "api"), 0o750))
	require.NoError(t, os.Symlink(examples, filepath.Join(folder, "api", "examples")))
	p, facts := program.DemoIn(t, folder, "--with-site")

	module := filepath.Join(examples, "astro", "src", "content.ts")
	_, diagnostics, err := program.Run(t, "", "types", "--url", facts.BaseURL, "--token", facts.Tokens.WorldDesk.ReadOnly, "--project", facts.Projects.WorldDesk.UUID, "--check", "--out", module)
	require.NoError(t, err, diagnostics)

	_, text, _ := strings.Cut(p.Output(), "then it is at ")
	site, _, _ := strings.Cut(text, "\n")
	p.Await(t, "the site", func() bool { return strings.Contains(p.Output(), "\nserving "+site) })
	written := filepath.Join(folder, "var", "demo", "demo.json")
	t.Log(node(t, "node", "astro.mjs", site, written))
	t.Log(node(t, "node", "astro-browser.mjs", site, written, chromium.Path(t)))

	reads := copied.FindAllStringSubmatch(p.Output(), -1)
	require.NotEmpty(t, reads)
	require.Equal(t, reads[0][1], reads[0][2], "the build")
	var changed int
	for _, read := range reads[1:] {
		changes, err := strconv.Atoi(read[1])
		require.NoError(t, err)
		changed += changes
	}
	require.Positive(t, changed)
	require.Less(t, changed, 10)
}

// TestSiteNeedsItsSource starts the demo with the example site in a folder that does not have it.
func TestSiteNeedsItsSource(t *testing.T) {
	t.Parallel()
	_, diagnostics, err := program.Run(t, "", "demo", "--with-site", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	require.Error(t, err)
	require.Contains(t, diagnostics, "run it in a checkout of the source")
}
