package httpx

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
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

func TestAcceptedCoding(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]Coding{
		"": Identity, "gzip": Gzip, "x-gzip": Gzip, "GZIP": Gzip, "br": Brotli, "zstd": Zstandard, "*": Zstandard, "identity": Identity, "xgzip": Identity,
		"gzip, deflate, br, zstd": Zstandard, "gzip, deflate, br": Brotli, "gzip;q=1, br;q=0.9, zstd;q=0.1": Gzip,
		"br;q=0.5, gzip; q=0.8": Gzip, "gzip;q=0": Identity, "gzip; q=0.000": Identity, "gzip;Q=0.3": Gzip, "gzip ; q = 0.3": Gzip,
		"gzip;q=0.5, identity": Identity, "gzip;q=0.5, identity;q=0.5": Gzip, "identity;q=0, gzip;q=0.1": Gzip,
		"*;q=0": Identity, "zstd;q=0, *": Brotli, "gzip;q=2": Identity, "gzip;q=x": Identity, "gzip;q=NaN": Identity, ",,;q=1,": Identity,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if header != "" {
			r.Header.Set("Accept-Encoding", header)
		}
		if got := AcceptedCoding(r); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header["Accept-Encoding"] = []string{"br;q=0.1", "gzip;q=0.2"}
	if got := AcceptedCoding(r); got != Gzip {
		t.Errorf("two headers: %v", got)
	}
	if got := AcceptedCoding(r, Brotli); got != Brotli {
		t.Errorf("one offer: %v", got)
	}
}

// decoded returns the decoded body.
func decoded(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	var reader io.Reader
	var err error
	switch in := bytes.NewReader(body); coding {
	case "":
		reader = in
	case "gzip":
		reader, err = gzip.NewReader(in)
	case "br":
		reader = brotli.NewReader(in)
	case "zstd":
		reader, err = zstd.NewReader(in)
	default:
		t.Fatalf("unknown coding %q", coding)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestWriteBody(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 4<<10)
	_, _ = rand.Read(noise) // never fails
	for name, body := range map[string][]byte{
		"short": bytes.Repeat([]byte("a"), 1<<10), "long": bytes.Repeat([]byte("let it be published "), 100_000), "noise": noise,
	} {
		for _, accepted := range []string{"", "gzip", "br", "zstd"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				r := httptest.NewRequest(method, "/", nil)
				r.Header.Set("Accept-Encoding", accepted)
				rec := httptest.NewRecorder()
				rec.Header()["Vary"] = varyOrigin
				WriteBody(rec, r, http.StatusOK, body)
				want := accepted
				if name != "long" {
					want = ""
				}
				if got := rec.Header().Get("Content-Encoding"); got != want {
					t.Errorf("%s: sent as %q, want %q", name, got, want)
				}
				if plain := decoded(t, want, rec.Body.Bytes()); !bytes.Equal(plain, body) {
					t.Errorf("%s: %d bytes in %q, want %d", name, len(plain), want, len(body))
				}
				if got := rec.Header().Get("Content-Length"); got != strconv.Itoa(rec.Body.Len()) {
					t.Errorf("%s: Content-Length %s of %d", name, got, rec.Body.Len())
				}
				if got := strings.Join(rec.Header()["Vary"], ", "); (got == "Origin, Accept-Encoding") != (name != "short") {
					t.Errorf("%s: Vary is %q", name, got)
				}
			}
		}
	}
	if len(varyOrigin) != 1 {
		t.Error("a shared header value was changed")
	}
}

// BenchmarkEncode measures time and size of a page of entries in each coding.
func BenchmarkEncode(b *testing.B) {
	var body bytes.Buffer
	for n := range 40 {
		fmt.Fprintf(&body, `{"id":%d,"locale":"en","publishedAt":"2026-01-02T15:04:%02d.000Z","title":"Article %x","summary":"%x","views":%d,"featured":%t,"tags":["a","b%d"]},`,
			n, n, n*7919, n*104729, n*31, n%2 == 0, n%7)
	}
	for _, coding := range codings {
		b.Run(coding.String(), func(b *testing.B) {
			b.ReportAllocs()
			var size int
			for b.Loop() {
				encoded, _ := coding.Encode(body.Bytes())
				size = len(encoded)
			}
			b.ReportMetric(float64(size)/float64(body.Len()), "ratio")
		})
	}
}
