package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// quiet is a response that is thrown away.
type quiet struct{ h http.Header }

func (q quiet) Header() http.Header         { return q.h }
func (q quiet) Write(b []byte) (int, error) { return len(b), nil }
func (q quiet) WriteHeader(int)             {}

// BenchmarkRead measures the whole way of a read but the network and the database.
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
				w.handler.ServeHTTP(quiet{http.Header{}}, r)
			}
		})
	}
}
