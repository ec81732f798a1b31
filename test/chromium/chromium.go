// Package chromium shows tests what a browser makes of their files.
package chromium

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Path returns the path of Chromium. The headless shell needs a third less processor time. The test
// fails without it; it never skips.
func Path(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("these tests need Chromium: apt-get install chromium-headless-shell")
	return ""
}

// Ask calls the body of an asynchronous JavaScript function in a page, with the parameter given, and
// decodes what it returns into answer. files are beside the page, by name.
func Ask(t testing.TB, body string, given, answer any, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	argument, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	files["page.html"] = []byte(`<!DOCTYPE html><meta charset="utf-8"><textarea id="given">` + html.EscapeString(string(argument)) + `</textarea><pre id="answer"></pre><script>
addEventListener('load', () => (async (given) => {` + body + `})(JSON.parse(document.getElementById('given').value))
	.catch((error) => ({ error: String(error) })).then((answer) => { document.getElementById('answer').textContent = JSON.stringify(answer); }));
</script>`)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), Path(t), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--allow-file-access-from-files",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--virtual-time-budget=60000", "--dump-dom", "file://"+filepath.Join(dir, "page.html"))
	output, err := command.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	_, text, _ := strings.Cut(string(output), `<pre id="answer">`)
	text, _, found := strings.Cut(text, "</pre>")
	if !found || text == "" {
		t.Fatalf("the page has no answer: %.2000s", output)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), answer); err != nil {
		t.Fatalf("%v: %.2000s", err, text)
	}
}
