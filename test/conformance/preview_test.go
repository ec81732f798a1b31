package conformance

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/chromium"
)

// editorPage is the page around the frames: it previews a site that draws in the browser and one that draws on its
// server, beside a page of the editor's origin that forges messages. It shows what it heard.
const editorPage = `<!DOCTYPE html><pre id="answer"></pre><script type="module">
const heard = [];
const frame = (src) => Object.assign(document.body.appendChild(document.createElement('iframe')), { src }).contentWindow;
const said = (source, type) => new Promise((resolve) => addEventListener('message', function hear({ source: from, origin, data }) {
	if (from !== source || origin !== SITE || data.type !== type) return;
	removeEventListener('message', hear);
	heard.push(data);
	resolve();
}));
const tell = (to, message) => to.postMessage({ imprimatur: 1, ...message }, SITE);
const preview = (change) => ({ type: 'preview', token: 'imv_' + change, expiresAt: '2026-01-02T15:04:05.000Z', change });

const browser = frame(SITE + '/browser');
await said(browser, 'ready');
const forger = frame('/forger');
await new Promise((resolve) => addEventListener('message', ({ source }) => source === forger && resolve()));
let shown = said(browser, 'shown'), opened = said(browser, 'open');
tell(browser, preview(1));
await shown;
await opened;
const outlined = said(browser, 'outlined');
tell(browser, { type: 'focus', path: '12:title' });
await outlined;
const failed = said(browser, 'failed');
tell(browser, preview(2));
await failed;

const server = frame(SITE + '/server');
await said(server, 'ready');
const again = said(server, 'ready');
tell(server, preview(3));
await again;
shown = said(server, 'shown');
tell(server, preview(3));
await shown;
document.getElementById('answer').textContent = JSON.stringify(heard);
</script>`

// forgerPage sends a preview to the frame before it, and tells the editor.
const forgerPage = `<!DOCTYPE html><script>
parent.frames[0].postMessage({ imprimatur: 1, type: 'preview', token: 'imv_forged', expiresAt: '', change: 9 }, '*');
parent.postMessage({}, '*');
</script>`

// browserPage draws the token. A click on the title, and the outline of the title, are told by the page itself.
const browserPage = `<!DOCTYPE html><h1>Title</h1><script type="module">
import { connect, edit } from '/preview.js';
const title = document.querySelector('h1');
if (Object.keys(edit({ id: 12 }, 'title')).length) throw new Error('this is no preview yet');
connect({ origin: EDITOR, onChange({ token, change }) {
	if (change === 2) throw new Error('cannot be drawn');
	title.textContent = token;
	for (const [name, value] of Object.entries(edit({ id: 12 }, 'title'))) title.setAttribute(name, value);
	title.click();
} });
new MutationObserver(() => parent.postMessage({ type: 'outlined', text: title.textContent, outline: title.style.outlineStyle }, EDITOR)).observe(title, { attributeFilter: ['style'] });
</script>`

// serverPage has no storage, as in a browser that blocks third-party cookies.
const serverPage = `<!DOCTYPE html><script>
for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
</script><script type="module">
import { connect } from '/preview.js';
connect({ origin: EDITOR, exchange: '/preview/session' });
</script>`

// previewInFrames checks the site's part of previews in a browser.
func previewInFrames(t *testing.T, module string) {
	t.Helper()
	var editor, site *httptest.Server
	var exchanged atomic.Pointer[string]
	page := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			text := strings.NewReplacer("EDITOR", "'"+editor.URL+"'", "SITE", "'"+site.URL+"'").Replace(text)
			_, _ = io.WriteString(w, text)
		}
	}
	around, inside := http.NewServeMux(), http.NewServeMux()
	around.Handle("GET /", page(editorPage))
	around.Handle("GET /forger", page(forgerPage))
	inside.Handle("GET /browser", page(browserPage))
	inside.Handle("GET /server", page(serverPage))
	inside.HandleFunc("GET /preview.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, module)
	})
	inside.HandleFunc("POST /preview/session", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		exchanged.Store(new(string(body)))
		w.WriteHeader(http.StatusNoContent)
	})
	editor, site = httptest.NewServer(around), httptest.NewServer(inside)
	t.Cleanup(editor.Close)
	t.Cleanup(site.Close)

	command := exec.CommandContext(t.Context(), chromium.Path(t), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--virtual-time-budget=60000", "--dump-dom", editor.URL+"/")
	output, err := command.Output()
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(output), `<pre id="answer">`)
	text, _, _ = strings.Cut(text, "</pre>")
	var heard []map[string]any
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(text)), &heard), string(output))
	require.Equal(t, []map[string]any{
		{"imprimatur": 1.0, "type": "ready"},
		{"imprimatur": 1.0, "type": "open", "path": "12:title"},
		{"imprimatur": 1.0, "type": "shown", "change": 1.0},
		{"type": "outlined", "text": "imv_1", "outline": "solid"},
		{"imprimatur": 1.0, "type": "failed", "change": 2.0},
		{"imprimatur": 1.0, "type": "ready"},
		{"imprimatur": 1.0, "type": "ready"},
		{"imprimatur": 1.0, "type": "shown", "change": 3.0},
	}, heard)
	require.JSONEq(t, `{"token":"imv_3"}`, *exchanged.Load())
}
