package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discardWriter is an http.ResponseWriter that discards the body.
type discardWriter struct{ h http.Header }

func (w discardWriter) Header() http.Header         { return w.h }
func (w discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w discardWriter) WriteHeader(int)             {}

// BenchmarkRead measures a whole read except the network and the database.
func BenchmarkRead(b *testing.B) {
	w := setup(b)
	for name, target := range map[string]string{
		"list":  w.public("/collections/articles/entries?sort=views:desc&limit=20"),
		"entry": w.public("/collections/articles/entries/" + itoa(w.entry.ID)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("GET", target, nil)
			r.Header.Set("Authorization", "Bearer "+w.secrets["measure"])
			for b.Loop() {
				w.handler.ServeHTTP(discardWriter{http.Header{}}, r)
			}
		})
	}
}
