package wordpress_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/egress"
	"imprimatur/app/importing"
	"imprimatur/test/importtest"
)

// TestServers imports a site whose files are on servers that do not answer, or without end.
func TestServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		timeout time.Duration
		reason  string
	}{
		"never answers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 100 * time.Millisecond, "cannot be loaded within 0.1 s"},
		"stops in the middle of a file": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "words")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 100 * time.Millisecond, "cannot be loaded within 0.1 s"},
		"answers 10 GB": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000000000")
			for part := make([]byte, 64<<10); ; {
				if _, err := w.Write(part); err != nil {
					return // the import has enough
				}
			}
		}, 0, "the file is over the project's limit of 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.answer)
			t.Cleanup(server.Close)
			allowed, err := egress.ParseAllowed([]string{strings.TrimPrefix(server.URL, "http://")})
			require.NoError(t, err)
			s := importtest.New(t)
			report, rows := s.Import(t, open(t, s, written(t, `<item><title>A</title><wp:post_id>1</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>`+
				server.URL+`/a.png</wp:attachment_url></item><item><title>Words</title><wp:post_id>2</wp:post_id><wp:post_type>post</wp:post_type></item>`)), importing.Options{
				Fetcher: egress.NewFetcher(egress.New(allowed, egress.WithPlain())).Following(5), FileTimeout: test.timeout,
			})
			require.Equal(t, importing.Counts{In: 1, Listed: 1}, report.Files)
			require.Equal(t, test.reason, rows[0].Reason)
			require.Len(t, s.Entries(t, "posts"), 1)
		})
	}
}
