package web

import (
	"bytes"
	"compress/gzip"
	"net/http/httptest"
	"testing"
)

func TestUnzip(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	if _, err := writer.Write([]byte("let it be published")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := string(Unzip(zipped.Bytes())); got != "let it be published" {
		t.Errorf("%q", got)
	}
	for name, broken := range map[string][]byte{"no gzip": []byte("plain"), "cut off": zipped.Bytes()[:20]} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			Unzip(broken)
		}()
	}
}

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip": true, "GZIP": true, "gzip;q=0.5, br": true, "br;q=1.0, gzip; q=0.1": true,
		"gzip;q=0": false, "gzip; q=0.0": false, "br": false, "xgzip": false, "identity": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if header != "" {
			r.Header.Set("Accept-Encoding", header)
		}
		if got := AcceptsGzip(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}
