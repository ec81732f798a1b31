package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/files"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/memory"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

const project = "5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11"

// fixture is a file handler over a test blob store.
type fixture struct {
	t       *testing.T
	blobs   ports.BlobStore
	handler http.Handler
}

func setup(t *testing.T) *fixture {
	t.Helper()
	return setupAt(t, "mem://")
}

// forEachStore runs check on an in-memory store and on a fake S3 server.
func forEachStore(t *testing.T, check func(t *testing.T, s *fixture)) {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("media"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	for name, address := range map[string]string{
		"memory": "mem://", "S3": "s3://media?anonymous=true&endpoint=" + url.QueryEscape(server.URL),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, setupAt(t, address))
		})
	}
}

func setupAt(t *testing.T, address string) *fixture {
	t.Helper()
	blobs, err := blobstore.Open(context.Background(), address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	return &fixture{t, blobs, wrap(t, blobs)}
}

// wrap returns a handler of a Project that holds every blob.
func wrap(t *testing.T, blobs ports.BlobStore) http.Handler {
	t.Helper()
	store := memory.New()
	stores := store.Stores()
	now := time.Now()
	require.NoError(t, stores.Tenants.Insert(t.Context(), &core.Tenant{Name: "Meridian", CreatedAt: now, UpdatedAt: now}))
	require.NoError(t, stores.Projects.Insert(t.Context(), &core.Project{
		UUID: project, TenantID: 1, Name: "Desk", DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: now, UpdatedAt: now,
	}))
	pictures := media.NewRenditions(stores, holding{store}, blobs, imager{}, systemclock.New())
	return httpx.Wrap(files.New(blobs, pictures, moved), httpx.Options{Logger: zap.NewNop()})
}

// holding are transactions whose ledger has references to every name.
type holding struct{ ports.Tx }

func (h holding) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return h.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Blobs = fullLedger{stores.Blobs}
		return do(ctx, stores)
	})
}

type fullLedger struct{ ports.BlobLedger }

func (l fullLedger) Lock(ctx context.Context, projectID int64, name string) (bool, error) {
	_, err := l.BlobLedger.Lock(ctx, projectID, name)
	return true, err
}

// imager makes renditions that consist of their key and the original.
type imager struct{ ports.Imager }

func (imager) Decodes(mimeType string) bool {
	return mimeType != "image/svg+xml" && strings.HasPrefix(mimeType, "image/")
}

func (imager) Render(_ context.Context, source io.ReadSeeker, _ string, r rendition.Rendition) ([]byte, error) {
	content, err := io.ReadAll(source)
	return []byte(r.Key() + " of " + string(content)), err
}

// oldHash is the hash of a picture that was cleaned.
var oldHash = strings.Repeat("0d", 32)

func moved(_ context.Context, projectUUID, hash string) (core.MediaItem, error) {
	if projectUUID != project || hash != oldHash {
		return core.MediaItem{}, core.NotFound("file")
	}
	return core.MediaItem{Full: project + "/" + strings.Repeat("1e", 32) + ".jpg"}, nil
}

// put stores content with the given extension and returns the URL path of its folder.
func (s *fixture) put(extension, content string) string {
	s.t.Helper()
	sum := sha256.Sum256([]byte(content))
	name := project + "/" + hex.EncodeToString(sum[:])
	require.NoError(s.t, s.blobs.Create(context.Background(), name+extension, strings.NewReader(content)))
	return "/files/" + name
}

func (s *fixture) send(method, path string, header ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://cms.test", nil)
	parsed, err := url.ParseRequestURI(path)
	require.NoError(s.t, err)
	r.URL, r.RequestURI = parsed, path
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	s.handler.ServeHTTP(rec, r)
	return rec
}

func TestTypes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for extension, want := range map[string]struct{ contentType, disposition string }{
		".jpg":  {"image/jpeg", "inline"},
		".png":  {"image/png", "inline"},
		".gif":  {"image/gif", "inline"},
		".webp": {"image/webp", "inline"},
		".mp4":  {"video/mp4", "inline"},
		".mp3":  {"audio/mpeg", "inline"},
		".pdf":  {"application/pdf", "inline"},
		".svg":  {"image/svg+xml", "attachment"},
		".txt":  {"text/plain; charset=utf-8", "attachment"},
		".json": {"application/json", "attachment"},
		".zip":  {"application/zip", "attachment"},
		".docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "attachment"},
	} {
		t.Run(extension, func(t *testing.T) {
			t.Parallel()
			s := &fixture{t, s.blobs, s.handler}
			res := s.send("GET", s.put(extension, "content of "+extension)+"/a%20%22file%22%20%E5%B1%B1"+extension)
			assert.Equal(t, 200, res.Code)
			assert.Equal(t, "content of "+extension, res.Body.String())
			assert.Equal(t, want.contentType, res.Header().Get("Content-Type"))
			disposition, params, err := mime.ParseMediaType(res.Header().Get("Content-Disposition"))
			require.NoError(t, err)
			assert.Equal(t, want.disposition, disposition)
			assert.Equal(t, `a "file" 山`+extension, params["filename"])
			assert.Equal(t, "nosniff", res.Header().Get("X-Content-Type-Options"))
			assert.Contains(t, res.Header().Get("Content-Security-Policy"), "default-src 'none'")
			assert.Contains(t, res.Header().Get("Content-Security-Policy"), "sandbox")
			assert.NotContains(t, res.Header().Get("Content-Security-Policy"), "allow-")
			assert.Equal(t, "no-referrer", res.Header().Get("Referrer-Policy"), "the address is the only protection")
			assert.Equal(t, "cross-origin", res.Header().Get("Cross-Origin-Resource-Policy"))
			assert.Equal(t, "public, max-age=31536000, immutable", res.Header().Get("Cache-Control"))
		})
	}
}

func TestConditionsAndRanges(t *testing.T) {
	t.Parallel()
	forEachStore(t, testConditionsAndRanges)
}

func testConditionsAndRanges(t *testing.T, s *fixture) {
	folder := s.put(".txt", "0123456789")
	path, tag := folder+"/digits.txt", `"`+folder[strings.LastIndexByte(folder, '/')+1:]+`"`
	for name, c := range map[string]struct {
		method string
		header []string
		status int
		body   string
		others map[string]string
	}{
		"whole":                           {"GET", nil, 200, "0123456789", map[string]string{"ETag": tag, "Accept-Ranges": "bytes", "Content-Length": "10"}},
		"head":                            {"HEAD", nil, 200, "", map[string]string{"ETag": tag, "Content-Length": "10", "Content-Type": "text/plain; charset=utf-8"}},
		"cached":                          {"GET", []string{"If-None-Match", tag}, 304, "", map[string]string{"ETag": tag, "Cache-Control": "public, max-age=31536000, immutable"}},
		"cached, weak tag":                {"GET", []string{"If-None-Match", `"x", W/` + tag}, 304, "", nil},
		"other cached":                    {"GET", []string{"If-None-Match", `"x"`}, 200, "0123456789", nil},
		"range":                           {"GET", []string{"Range", "bytes=2-4"}, 206, "234", map[string]string{"Content-Range": "bytes 2-4/10"}},
		"open range":                      {"GET", []string{"Range", "bytes=7-"}, 206, "789", nil},
		"last bytes":                      {"GET", []string{"Range", "bytes=-2"}, 206, "89", nil},
		"if-range matches":                {"GET", []string{"Range", "bytes=0-0", "If-Range", tag}, 206, "0", nil},
		"if-range differs":                {"GET", []string{"Range", "bytes=0-0", "If-Range", `"x"`}, 200, "0123456789", nil},
		"range of a head":                 {"HEAD", []string{"Range", "bytes=2-4"}, 206, "", map[string]string{"Content-Length": "3"}},
		"other unit":                      {"GET", []string{"Range", "lines=2-4"}, 200, "0123456789", nil},
		"no unit":                         {"GET", []string{"Range", "2-4"}, 200, "0123456789", nil},
		"unit in capitals":                {"GET", []string{"Range", "Bytes=2-4"}, 206, "234", nil},
		"no last bytes and a range":       {"GET", []string{"Range", "bytes=-0,2-4"}, 206, "234", nil},
		"no last bytes, if-range differs": {"GET", []string{"Range", "bytes=-0", "If-Range", `"x"`}, 200, "0123456789", nil},
		"no last bytes, cached":           {"GET", []string{"Range", "bytes=-0", "If-None-Match", tag}, 304, "", nil},
		"more than the whole file":        {"GET", []string{"Range", "bytes=0-9,0-9,0-9"}, 200, "0123456789", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fixture{t, s.blobs, s.handler}
			res := s.send(c.method, path, c.header...)
			assert.Equal(t, c.status, res.Code)
			assert.Equal(t, c.body, res.Body.String())
			for name, value := range c.others {
				assert.Equal(t, value, res.Header().Get(name), name)
			}
		})
	}
}

// TestRefusals checks that a refused file request is answered with a problem document that
// is not cacheable.
func TestRefusals(t *testing.T) {
	t.Parallel()
	forEachStore(t, testRefusals)
}

func testRefusals(t *testing.T, s *fixture) {
	path := s.put(".txt", "0123456789") + "/digits.txt"
	for name, c := range map[string]struct {
		header []string
		status int
		code   string
	}{
		"past the end":    {[]string{"Range", "bytes=10-"}, 416, "range_not_satisfiable"},
		"no last bytes":   {[]string{"Range", "bytes=-0"}, 416, "range_not_satisfiable"},
		"no bytes at all": {[]string{"Range", "bytes=-0, -00"}, 416, "range_not_satisfiable"},
		"malformed range": {[]string{"Range", "bytes=a-b"}, 416, "range_not_satisfiable"},
		"another file":    {[]string{"If-Match", `"x"`}, 412, "precondition_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{"GET", "HEAD"} {
				s := &fixture{t, s.blobs, s.handler}
				res := s.send(method, path, c.header...)
				assert.Equal(t, c.status, res.Code)
				assert.Contains(t, res.Body.String(), c.code)
				assert.Equal(t, httpx.ProblemType, res.Header().Get("Content-Type"))
				assert.Equal(t, "no-store", res.Header().Get("Cache-Control"))
				assert.Equal(t, "*", res.Header().Get("Access-Control-Allow-Origin"))
				for _, name := range []string{"ETag", "Content-Disposition", "Accept-Ranges"} {
					assert.Empty(t, res.Header().Get(name), name)
				}
				if c.status == 416 && name != "malformed range" {
					assert.Equal(t, "bytes */10", res.Header().Get("Content-Range"))
				}
			}
		})
	}
}

// TestOtherOrigins checks that pages of any origin may read files and error responses.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	s := setup(t)
	path := s.put(".txt", "0123456789") + "/digits.txt"
	preflight := s.send("OPTIONS", path, "Origin", "https://app.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "range")
	assert.Equal(t, 204, preflight.Code)
	assert.Equal(t, "GET, HEAD", preflight.Header().Get("Access-Control-Allow-Methods"))
	assert.Equal(t, "range", preflight.Header().Get("Access-Control-Allow-Headers"))
	assert.Equal(t, "86400", preflight.Header().Get("Access-Control-Max-Age"))
	for _, res := range []*httptest.ResponseRecorder{preflight, s.send("GET", path), s.send("GET", "/files/none"), s.send("DELETE", path)} {
		assert.Equal(t, "*", res.Header().Get("Access-Control-Allow-Origin"))
	}
}

// TestUnknownPaths checks that every path that is not the address of a file is answered
// with the same 404.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := setup(t)
	folder := s.put(".jpg", "a picture")
	hash := folder[len("/files/"+project+"/"):]
	s.put(".html", "<script>alert(1)</script>") // as if one had been uploaded
	page := s.put(".html", "<script>alert(2)</script>")
	require.NoError(t, s.blobs.Create(t.Context(), "tmp/UPLOAD.jpg", strings.NewReader("secret")))
	require.NoError(t, s.blobs.Create(t.Context(), "tmp/UPLOAD", strings.NewReader("secret")))
	for _, path := range []string{
		"/files/", "/files", "/files/" + project, "/files/" + project + "/", folder, folder + "/", folder + "/a", folder + "/a.png",
		folder + "/a.jpg/", folder + "/a/b.jpg", folder + "/a%2Fb.jpg", folder + "/a%5Cb.jpg", folder + "/a%0Ab.jpg", folder + "/a%7Fb.jpg",
		folder + "/a.JPGX", folder + "/a.jpg.", folder + "/a.jpg%20", page + "/a.html", folder + "/a.html",
		"/files/" + strings.ToUpper(project) + "/" + hash + "/a.jpg", "/files/" + project + "/" + strings.ToUpper(hash) + "/a.jpg",
		"/files/" + project + "/" + hash[1:] + "/a.jpg", "/files/" + project + "/" + strings.Repeat("0", 64) + "/a.jpg",
		"/files/00000000-3a6c-4a43-8d2a-0a6f7f0f9c22/" + hash + "/a.jpg",
		"/files/tmp/UPLOAD", "/files/tmp/UPLOAD.jpg", "/files/tmp/UPLOAD/a.jpg", "/files/" + project + "/..%2F..%2Ftmp%2FUPLOAD/a.jpg",
		"/files/%2e%2e/tmp/UPLOAD.jpg", "/files/../tmp/UPLOAD.jpg", "/files//" + project + "/" + hash + "/a.jpg", "/FILES/" + project + "/" + hash + "/a.jpg",
		"/files/" + project + "/" + hash + ".jpg", "/%66iles/" + project + "/" + hash + "/a.jpg",
	} {
		res := s.send("GET", path)
		text := res.Body.String()
		assert.Equal(t, 404, res.Code, path)
		assert.Equal(t, httpx.ProblemType, res.Header().Get("Content-Type"), path)
		assert.Equal(t, "no-store", res.Header().Get("Cache-Control"), path)
		assert.Empty(t, res.Header().Get("ETag"), path)
		assert.Empty(t, res.Header().Get("Content-Disposition"), path)
		assert.True(t, strings.Contains(text, "no such file") || strings.Contains(text, "no such path"), text)
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
		res := s.send(method, folder+"/a.jpg", "X-HTTP-Method-Override", "GET")
		assert.Equal(t, 405, res.Code, method)
		assert.Equal(t, "GET, HEAD", res.Header().Get("Allow"), method)
	}
}

// TestFaults checks the statuses of store failures, and that the details of a failure are
// not disclosed.
func TestFaults(t *testing.T) {
	t.Parallel()
	for kind, want := range map[core.Kind]int{core.KindUnavailable: 503, core.KindInternal: 500} {
		fault := &core.Error{Kind: kind, Code: "away", Message: "file storage unavailable", Err: errors.New("dial secret-bucket")}
		s := &fixture{t: t, handler: wrap(t, failing{err: fault})}
		res := s.send("GET", "/files/"+project+"/"+strings.Repeat("0", 64)+"/a.jpg")
		assert.Equal(t, want, res.Code)
		assert.NotContains(t, res.Body.String(), "secret-bucket")
		assert.Equal(t, "no-store", res.Header().Get("Cache-Control"))
	}
}

// failing is a store whose Open fails.
type failing struct {
	ports.BlobStore
	err error
}

func (f failing) Open(context.Context, string) (ports.Blob, error) { return nil, f.err }

// TestMoved checks the redirect from the URL of a picture before it was cleaned.
func TestMoved(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for path, want := range map[string]string{
		oldHash + "/gr%C3%B6%C3%9Fe%20a.jpg": "../" + strings.Repeat("1e", 32) + "/gr%C3%B6%C3%9Fe%20a.jpg",
		oldHash + "/a.png":                   "",
		strings.Repeat("2f", 32) + "/a.jpg":  "",
	} {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/files/"+project+"/"+path, nil))
		if want == "" {
			require.Equal(t, http.StatusNotFound, w.Code, path)
			continue
		}
		require.Equal(t, http.StatusMovedPermanently, w.Code)
		require.Equal(t, want, w.Header().Get("Location"))
		require.Equal(t, "public, max-age=86400", w.Header().Get("Cache-Control"))
	}
}

// TestNamesOfOneFile checks that a file is found under all extensions of its type, in the encoding
// that its bytes prove.
func TestNamesOfOneFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ extension, content, name, contentType string }{
		{".jpg", "a picture", "a.JPEG", "image/jpeg"},
		{".txt", "größer", "server.log", "text/plain; charset=utf-8"},
		{".txt", "gr\xf6\xdfer", "a.txt", "text/plain"},
		{".csv", "\xff\xfea\x00", "a.csv", "text/csv; charset=utf-16"},
		{".txt", strings.Repeat("a", 70_000), "a.txt", "text/plain"},
		{".yaml", "a: 1", "a.yml", "application/yaml"},
	} {
		s := setup(t)
		res := s.send("GET", s.put(c.extension, c.content)+"/"+c.name)
		require.Equal(t, http.StatusOK, res.Code, c.name)
		require.Equal(t, c.contentType, res.Header().Get("Content-Type"))
		require.Equal(t, c.content, res.Body.String())
	}
}
