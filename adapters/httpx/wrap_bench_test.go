package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
)

// BenchmarkWrap measures what Wrap adds to a request without a tracer.
func BenchmarkWrap(b *testing.B) {
	handler := httpx.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), httpx.Options{Logger: zap.NewNop()})
	r := httptest.NewRequest(http.MethodGet, "/a/path", nil)
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
}
