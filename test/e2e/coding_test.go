package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"imprimatur/test/program"
)

// decoded returns the body without its content coding.
func decoded(t *testing.T, a response) []byte {
	t.Helper()
	var reader io.Reader
	var err error
	switch in := bytes.NewReader(a.body); a.header.Get("Content-Encoding") {
	case "gzip":
		reader, err = gzip.NewReader(in)
	case "br":
		reader = brotli.NewReader(in)
	case "zstd":
		reader, err = zstd.NewReader(in)
	default:
		reader = in
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestResponsesAreCompressed requests each kind of response in each content coding, twice:
// uncached and cached.
func TestResponsesAreCompressed(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	project := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID
	entries, graphql := project+"/collections/countries/entries", facts.BaseURL+"/public/v2/graphql"
	full := "Authorization: Bearer " + facts.Tokens.WorldDesk.Full
	const query = `{ entries(collection: "countries", limit: 50) { items { id data } } }`
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ method, url, body string }{
		"a list":               {"GET", entries + "?limit=50&count=true", ""},
		"an entry":             {"GET", entries + "/1", ""},
		"HEAD of a list":       {"HEAD", entries + "?limit=51", ""},
		"the collections":      {"GET", project + "/collections", ""},
		"media":                {"GET", project + "/media", ""},
		"GraphQL":              {"POST", graphql, string(body)},
		"GraphQL by GET":       {"GET", graphql + "?query=" + url.QueryEscape(query), ""},
		"a long problem":       {"GET", entries + "?where[" + strings.Repeat("x", 1100) + "]=1", ""},
		"the OpenAPI document": {"GET", facts.BaseURL + "/openapi.json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uncoded := call(t, c.method, c.url, c.body, full, "Accept-Encoding: identity")
			if uncoded.header.Get("Content-Encoding") != "" || !strings.Contains(strings.Join(uncoded.header.Values("Vary"), ","), "Accept-Encoding") {
				t.Fatalf("%d: %v", uncoded.status, uncoded.header)
			}
			if len(uncoded.body) <= 1<<10 && name != "an entry" && c.method != "HEAD" {
				t.Fatalf("only %d bytes", len(uncoded.body))
			}
			for accepted, coding := range map[string]string{"gzip, deflate, br, zstd": "zstd", "gzip, br": "br", "gzip": "gzip"} {
				for range 2 {
					a := call(t, c.method, c.url, c.body, full, "Accept-Encoding: "+accepted)
					if len(uncoded.body) <= 1<<10 && c.method != "HEAD" {
						coding = ""
					}
					if a.status != uncoded.status || a.header.Get("Content-Encoding") != coding {
						t.Fatalf("%s: %d in %q", accepted, a.status, a.header.Get("Content-Encoding"))
					}
					if c.method != "HEAD" && !strings.Contains(name, "problem") && !bytes.Equal(decoded(t, a), uncoded.body) {
						t.Errorf("%s: different body: %.200s", accepted, decoded(t, a))
					}
					length, _ := strconv.Atoi(a.header.Get("Content-Length"))
					plainLength, _ := strconv.Atoi(uncoded.header.Get("Content-Length"))
					if c.method == "HEAD" && length >= plainLength || c.method != "HEAD" && length != len(a.body) {
						t.Errorf("%s: Content-Length is %d of %d", accepted, length, len(a.body))
					}
					tag := uncoded.header.Get("ETag")
					if a.header.Get("ETag") != tag {
						t.Errorf("%s: ETag %s, want %s", accepted, a.header.Get("ETag"), tag)
					}
					if tag == "" {
						continue
					}
					same := call(t, c.method, c.url, c.body, full, "Accept-Encoding: "+accepted, "If-None-Match: "+tag)
					if same.status != http.StatusNotModified || len(same.body) > 0 || same.header.Get("Content-Encoding") != "" {
						t.Errorf("%s: with the ETag: %d, %v", accepted, same.status, same.header)
					}
				}
			}
		})
	}
	t.Run("a persisted query", func(t *testing.T) {
		t.Parallel()
		sum := sha256.Sum256([]byte(query))
		extensions := url.QueryEscape(fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hex.EncodeToString(sum[:])))
		register := call(t, "GET", graphql+"?query="+url.QueryEscape(query)+"&extensions="+extensions, "", full, "Accept-Encoding: br")
		again := call(t, "GET", graphql+"?extensions="+extensions, "", full, "Accept-Encoding: zstd")
		if again.header.Get("Content-Encoding") != "zstd" || !bytes.Equal(decoded(t, register), decoded(t, again)) || register.header.Get("ETag") != again.header.Get("ETag") {
			t.Errorf("%d: %v", again.status, again.header)
		}
	})
	t.Run("a repeated write", func(t *testing.T) {
		t.Parallel()
		body := `{"fields":{"title":"` + strings.Repeat("long ", 190) + `"},"published":false}`
		articles := project + "/collections/articles/entries"
		key := "Idempotency-Key: 2f1d7c1e-coded"
		first := call(t, "POST", articles, body, full, key, "Accept-Encoding: gzip")
		for _, accepted := range []string{"identity", "br", "gzip"} {
			again := call(t, "POST", articles, body, full, key, "Accept-Encoding: "+accepted)
			if first.status != http.StatusCreated || again.status != first.status || !bytes.Equal(decoded(t, first), decoded(t, again)) || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: %d then %d: %.200s", accepted, first.status, again.status, decoded(t, again))
			}
			if coding := again.header.Get("Content-Encoding"); coding != accepted && accepted != "identity" {
				t.Errorf("%s: sent as %q", accepted, coding)
			}
		}
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		list := decode[struct{ Data []mediaItem }](t, call(t, "GET", project+"/media", "", full))
		for _, item := range list.Data {
			if a := call(t, "GET", item.FullURL, "", "Accept-Encoding: gzip, br, zstd"); a.header.Get("Content-Encoding") != "" || len(a.body) != item.Size {
				t.Errorf("%s: %d bytes of %d, %v", item.FileName, len(a.body), item.Size, a.header)
			}
		}
	})
}
