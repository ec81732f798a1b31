package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/program"
)

// TestNextRecipe builds api/examples/next, which type-checks it, and reads it as readers and an editor do.
func TestNextRecipe(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t, "--webhook-allow", "127.0.0.0/8")
	buildClient(t)
	folder := t.TempDir()
	recipe := filepath.Join(folder, "api", "examples", "next")
	require.NoError(t, os.CopyFS(filepath.Join(folder, "api", "client"), os.DirFS(clientPackage)))
	require.NoError(t, os.CopyFS(recipe, os.DirFS("../../api/examples/next")))

	blog, token := facts.Projects.Blog, facts.Tokens.Blog.ReadOnly
	_, diagnostics, err := program.Run(t, "", "types", "--url", facts.BaseURL, "--token", token, "--project", blog.UUID, "--out", filepath.Join(recipe, "content.ts"))
	require.NoError(t, err, diagnostics)
	for _, args := range [][]string{{"npm", "ci", "--ignore-scripts", "--no-progress"}, {"npm", "run", "build"}} {
		command := exec.CommandContext(t.Context(), args[0], args[1:]...)
		command.Dir = recipe
		command.Env = append(os.Environ(), "NEXT_TELEMETRY_DISABLED=1", "CMS_URL="+facts.BaseURL, "CMS_PROJECT="+blog.UUID, "CMS_TOKEN="+token)
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%v\n%s", args, output)
	}
	t.Log(node(t, "node", "next.mjs", recipe, filepath.Join(p.Dir, "var", "demo", "demo.json")))
}
