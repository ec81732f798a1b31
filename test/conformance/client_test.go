package conformance

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/chromium"
	"imprimatur/test/program"
)

// clientPackage is where the npm package of api/client is built for the programs of this folder.
const clientPackage = "node_modules/@imprimatur/client"

// The sizes of createClient and of the site's part of previews with all that they need in bytes, minified and compressed
// by gzip.
const (
	maxClientSize  = 5 << 10
	maxPreviewSize = 3 << 10
)

var copyClient = sync.OnceValue(func() error {
	if err := os.RemoveAll(clientPackage); err != nil {
		return err
	}
	return os.CopyFS(clientPackage, os.DirFS("../../api/client"))
})

// buildClient builds the npm package.
func buildClient(t *testing.T) {
	t.Helper()
	node(t, "node", "--version") // installs the others
	require.NoError(t, copyClient())
	node(t, "tsc", "-p", clientPackage)
}

// bundled returns a module of the package with all that it needs, which is at most so many bytes by gzip.
func bundled(t *testing.T, module string, most int) string {
	t.Helper()
	bundle := node(t, "esbuild", "--bundle", "--minify", "--format=esm", clientPackage+"/dist/"+module+".js")
	var small bytes.Buffer
	archive := gzip.NewWriter(&small)
	_, err := archive.Write([]byte(bundle))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	t.Logf("%s: %d bytes, %d by gzip", module, len(bundle), small.Len())
	require.LessOrEqual(t, small.Len(), most)
	return bundle
}

// TestClient checks the npm package as others install it, compiles programs that use it with the types of the demo's
// World Desk, and runs one against the demo.
func TestClient(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t)
	buildClient(t)
	desk, token := facts.Projects.WorldDesk.UUID, facts.Tokens.WorldDesk

	// The types are the same by way of the database and of the service.
	module, err := filepath.Abs("world-desk.ts")
	require.NoError(t, err)
	database := "sqlite:" + filepath.Join(p.Dir, "var", "demo", "imprimatur.db")
	_, diagnostics, err := program.Run(t, "", "types", "--database-url", database, "--project", desk, "--out", module)
	require.NoError(t, err, diagnostics)
	service := []string{"types", "--url", facts.BaseURL, "--token", token.ReadOnly, "--project", desk, "--check", "--out"}
	_, diagnostics, err = program.Run(t, "", append(service, module)...)
	require.NoError(t, err, diagnostics)
	stale := filepath.Join(t.TempDir(), "stale.ts")
	require.NoError(t, os.WriteFile(stale, []byte("export {};\n"), 0o600))
	_, diagnostics, err = program.Run(t, "", append(service, stale)...)
	require.Error(t, err)
	require.Contains(t, diagnostics, "is not current")
	_, diagnostics, err = program.Run(t, "", "types", "--url", "http://127.0.0.1:1", "--token", token.ReadOnly, "--project", desk)
	require.Error(t, err)
	require.Contains(t, diagnostics, "--url: no answer from http://127.0.0.1:1/")

	options := []string{"--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "ES2022", "--module", "NodeNext", "--types", "node", "--skipLibCheck"}
	compiled := t.TempDir()
	node(t, "tsc", append(options, "--noEmit", "world-desk-client.ts", "client-types.ts", module, "../../adapters/typescript/testdata/module.ts")...)
	node(t, "tsc", append(options, "--outDir", "node_modules/.compiled-client", "client.ts")...)
	arguments := []string{"node_modules/.compiled-client/client.js", facts.BaseURL, desk, token.ReadOnly, token.Full}
	t.Log("Node:", node(t, "node", arguments...))
	t.Log("Deno:", node(t, "deno", append([]string{"run", "--allow-net"}, arguments...)...))
	node(t, "node", "node_modules/bun/install.js") // installs run no scripts
	t.Log("Bun:", node(t, "bun", append([]string{"run"}, arguments...)...))

	t.Log(node(t, "publint", "--strict", clientPackage))
	pack := node(t, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", compiled, "./"+clientPackage)
	t.Log(node(t, "attw", "--profile", "esm-only", filepath.Join(compiled, strings.TrimSpace(pack))))

	bundle := bundled(t, "index", maxClientSize)
	previewInFrames(t, bundled(t, "preview", maxPreviewSize))

	var names []string
	given := map[string]string{"url": facts.BaseURL, "project": desk, "token": token.ReadOnly}
	chromium.Ask(t, `const { createClient } = await import("./client.js");
		const client = createClient(given);
		const first = await client.entries("countries", { where: { area: { gt: 9000000 } }, sort: "area:desc", fields: ["name"] });
		const again = await client.entries("countries", { where: { area: { gt: 9000000 } }, sort: "area:desc", fields: ["name"] });
		return JSON.stringify(first) === JSON.stringify(again) ? first.data.map((country) => country.name) : [];`,
		given, &names, map[string][]byte{"client.js": []byte(bundle)})
	require.Equal(t, []string{"Russia", "Antarctica", "Canada", "China", "United States"}, names)
}

// TestTypesFollowChanges checks that "types --watch" writes its file again when a definition changes.
func TestTypesFollowChanges(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t)
	folder := t.TempDir()
	module, schema := filepath.Join(folder, "blog.ts"), filepath.Join(folder, "blog.yaml")
	where := []string{"--database-url", "sqlite:" + filepath.Join(p.Dir, "var", "demo", "imprimatur.db"), "--project", facts.Projects.Blog.UUID}
	watch := program.Launch(t, "types", "--watch", "--out", module, "--url", facts.BaseURL, "--token", facts.Tokens.Blog.ReadOnly, "--project", facts.Projects.Blog.UUID)
	written := func() string {
		text, err := os.ReadFile(module)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	watch.Await(t, "the module", func() bool { return strings.Contains(written(), "export interface Schema") })

	_, diagnostics, err := program.Run(t, "", append([]string{"schema", "pull", "--out", schema}, where...)...)
	require.NoError(t, err, diagnostics)
	text, err := os.ReadFile(schema)
	require.NoError(t, err)
	field := "      - name: title\n"
	require.Contains(t, string(text), field)
	changed := strings.Replace(string(text), field, field+"        help: Said in one line.\n", 1)
	require.NoError(t, os.WriteFile(schema, []byte(changed), 0o600))
	_, diagnostics, err = program.Run(t, "", append(append([]string{"schema", "apply"}, where...), schema)...)
	require.NoError(t, err, diagnostics)
	watch.Await(t, "the changed module", func() bool { return strings.Contains(written(), "/** Said in one line. */") })
	watch.Stop(t)
	require.Contains(t, watch.Output(), "written: "+module)
}
