package mail_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/mail"
)

func TestMailbox(t *testing.T) {
	t.Parallel()
	box := mail.NewMailbox(writer(t))
	mux := http.NewServeMux()
	box.Register(mux.Handle)
	get := func(path string, status int) string {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		require.Equal(t, status, w.Code)
		return w.Body.String()
	}
	require.Contains(t, get("/demo/mail", 200), "No e-mail yet")
	m := to("ada@example.org")
	m.Title, m.Name = "<script>x</script>", "<b>Ada"
	require.Empty(t, box.Send(t.Context(), m))
	list, page := get("/demo/mail", 200), get("/demo/mail/1", 200)
	require.Contains(t, list, `<a href="/demo/mail/1">Your review: &lt;script&gt;x&lt;/script&gt;</a>`)
	require.Contains(t, list, "&lt;b&gt;Ada &lt;ada@example.org&gt;")
	require.NotContains(t, page, "<script")
	require.Contains(t, page, "Emil Santos says\n&gt; Please be quick.")
	require.Contains(t, page, "&amp;lt;script&amp;gt;")
	get("/demo/mail/2", 404)
	for range 250 {
		require.Empty(t, box.Send(t.Context(), to("ada@example.org")))
	}
	get("/demo/mail/51", 404)
	require.Contains(t, get("/demo/mail/52", 200), "Your review: Ceasefire")
	require.Equal(t, "the address is none of e-mail", box.Send(t.Context(), to("x")).Fault)
}
