package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// discardWriter is an http.ResponseWriter that discards the body.
type discardWriter struct{ h http.Header }

func (w discardWriter) Header() http.Header         { return w.h }
func (w discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w discardWriter) WriteHeader(int)             {}

// BenchmarkRead measures a whole read except the network and the database, from the cache and
// without it.
func BenchmarkRead(b *testing.B) {
	w := setup(b)
	for n := range 20 {
		created := w.send("POST", w.public("/collections/articles/entries"),
			`{"fields":{"title":"`+itoa(int64(n))+strings.Repeat("x", 700)+`"},"published":true}`, w.bearer("full"))
		require.Equal(b, 201, created.StatusCode, string(created.body))
	}
	for name, target := range map[string]string{
		"list":  w.public("/collections/articles/entries?sort=views:desc&limit=20"),
		"entry": w.public("/collections/articles/entries/" + itoa(w.entry.ID)),
	} {
		for _, uncached := range []bool{false, true} {
			for _, coding := range []string{"", "gzip", "br", "zstd"} {
				b.Run(fmt.Sprintf("%s/uncached=%t/coding=%s", name, uncached, coding), func(b *testing.B) {
					b.ReportAllocs()
					w.feedLost.Store(uncached)
					r := httptest.NewRequest("GET", target, nil)
					r.Header.Set("Authorization", "Bearer "+w.secrets["measure"])
					r.Header.Set("Accept-Encoding", coding)
					for b.Loop() {
						w.handler.ServeHTTP(discardWriter{http.Header{}}, r)
					}
				})
			}
		}
	}
}
