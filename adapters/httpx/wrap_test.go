package httpx_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// serve sends one request through Wrap and returns the response, the log entries and the
// observed responses.
func serve(t *testing.T, target string, handler http.HandlerFunc, secure bool) (*httptest.ResponseRecorder, []observer.LoggedEntry, []httpx.Completed) {
	t.Helper()
	sink, logs := observer.New(zapcore.InfoLevel)
	var seen []httpx.Completed
	wrapped := httpx.Wrap(handler, httpx.Options{
		Logger: zap.New(sink), Secure: secure, Observe: func(a httpx.Completed) { seen = append(seen, a) },
	})
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Authorization", "Bearer imp_header_secret")
	r.Header.Set("Cookie", "imprimatur_session=cookie_secret")
	rec := httptest.NewRecorder()
	wrapped.ServeHTTP(rec, r)
	return rec, logs.All(), seen
}

func TestWrapLogsWithoutSecrets(t *testing.T) {
	t.Parallel()
	rec, logs, seen := serve(t, "/a/path?access_token=imp_query_secret", func(w http.ResponseWriter, r *http.Request) {
		assert.NotEmpty(t, httpx.RequestID(r.Context()))
		_, _ = w.Write([]byte("hello"))
	}, false)
	require.Len(t, logs, 1)
	fields := logs[0].ContextMap()
	assert.Equal(t, "/a/path", fields["path"])
	assert.EqualValues(t, 200, fields["status"])
	assert.EqualValues(t, 5, fields["bytes"])
	assert.Equal(t, "192.0.2.1", fields["address"])
	assert.Equal(t, rec.Header().Get("X-Request-Id"), fields["requestId"])
	line, err := json.Marshal(fields)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "secret")
	require.Len(t, seen, 1)
	assert.Equal(t, 200, seen[0].Status)
	assert.EqualValues(t, 5, seen[0].Bytes)
	assert.Less(t, seen[0].Elapsed, time.Minute)
}

func TestWrapAnswersPanics(t *testing.T) {
	t.Parallel()
	rec, logs, seen := serve(t, "/boom", func(http.ResponseWriter, *http.Request) { panic("the inside of it") }, false)
	assert.Equal(t, 500, rec.Code)
	assert.Equal(t, httpx.ProblemType, rec.Header().Get("Content-Type"))
	assert.NotContains(t, rec.Body.String(), "inside")
	assert.Contains(t, rec.Body.String(), rec.Header().Get("X-Request-Id"))
	require.Len(t, logs, 2)
	assert.Equal(t, "the inside of it", logs[0].ContextMap()["panic"])
	assert.Equal(t, zapcore.ErrorLevel, logs[1].Level)
	assert.Equal(t, 500, seen[0].Status)
}

func TestWrapAbortsPartialResponses(t *testing.T) {
	t.Parallel()
	for name, thrown := range map[string]any{"late panic": "late", "abort": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
				serve(t, "/half", func(w http.ResponseWriter, _ *http.Request) {
					_, _ = w.Write([]byte(`{"data":[`))
					panic(thrown)
				}, false)
			})
		})
	}
}

func TestWrapRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"//a", "/a//b", "/a/./b", "/a/../b", "/a/.", "/..", "/a/b//", "/a/%00", "/a/%ff/b"} {
		rec, _, _ := serve(t, "http://cms.test"+target, func(http.ResponseWriter, *http.Request) {
			t.Errorf("%s reached the router", target)
		}, false)
		assert.Equal(t, 404, rec.Code, target)
	}
}

func TestWrapHeaders(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		rec, _, _ := serve(t, "/", func(http.ResponseWriter, *http.Request) {}, secure)
		assert.Equal(t, secure, rec.Header().Get("Strict-Transport-Security") != "")
		assert.Equal(t, "nosniff", rec.Header().Get("X-Content-Type-Options"))
	}
}

func TestProblemsRevealNoInternalErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"plain":    errors.New("pq: relation secret_table does not exist"),
		"internal": &core.Error{Kind: core.KindInternal, Code: "disk", Message: "secret_table at /var/lib"},
		"wrapped":  &core.Error{Kind: core.KindUnavailable, Code: "away", Message: "the database is away", Err: errors.New("dial secret_table")},
		"value":    core.Invalid(core.FieldError{Location: "x", Message: "bad", Value: func() {}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, logs, _ := serve(t, "/fault", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"of what was not sent"`)
				httpx.WriteProblem(w, r, err)
			}, false)
			assert.NotContains(t, rec.Body.String(), "secret_table")
			assert.Empty(t, rec.Header().Get("ETag"))
			var p httpx.Problem
			require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &p))
			assert.Equal(t, rec.Code, p.Status)
			assert.Equal(t, "/fault", p.Instance)
			if name != "value" {
				line, _ := json.Marshal(logs[0].ContextMap())
				assert.Contains(t, string(line), "secret_table", "the cause is in the log")
			}
			assert.Equal(t, name == "wrapped", rec.Header().Get("Retry-After") == "1")
		})
	}
}

// A 503 with a cause is logged; one without a cause (overload) is only counted.
func TestOverloadIsCountedAndNotLogged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause error
		lines int
	}{"overload": {nil, 0}, "a dependency is down": {errors.New("dial"), 1}} {
		_, logs, seen := serve(t, "/", func(w http.ResponseWriter, r *http.Request) {
			httpx.WriteProblem(w, r, &core.Error{Kind: core.KindUnavailable, Code: "x", Message: "later", Err: c.cause})
		}, false)
		assert.Len(t, logs, c.lines, name)
		require.Len(t, seen, 1, name)
		assert.Equal(t, http.StatusServiceUnavailable, seen[0].Status, name)
	}
}

func TestExtendedProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value any
		shown any
	}{
		"an object":     {map[string]any{"id": 7}, map[string]any{"id": 7.0}},
		"null":          {nil, nil},
		"not encodable": {func() {}, "absent"},
	} {
		rec, _, _ := serve(t, "/x", func(w http.ResponseWriter, r *http.Request) {
			err := &httpx.Extended{Err: core.Conflict("too_late", "it is over"), Name: "request", Value: c.value}
			httpx.WriteProblem(w, r, fmt.Errorf("deciding: %w", err))
		}, false)
		assert.Equal(t, http.StatusConflict, rec.Code, name)
		assert.Equal(t, strconv.Itoa(rec.Body.Len()), rec.Header().Get("Content-Length"), name)
		shown := map[string]any{"request": "absent"}
		require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &shown), rec.Body)
		assert.Equal(t, "too_late", shown["code"], name)
		assert.Equal(t, c.shown, shown["request"], name)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for kind := core.KindInternal; kind <= core.KindUnavailable; kind++ {
		status := httpx.Status(kind)
		assert.NotEmpty(t, http.StatusText(status), "kind %d", kind)
		assert.False(t, seen[status], "status %d stands for two kinds", status)
		seen[status] = true
		assert.Equal(t, strings.ToUpper(httpx.Code(kind)), httpx.Code(kind))
	}
	assert.Equal(t, 404, httpx.Status(core.KindNotFound))
	assert.Equal(t, "RATE_LIMITED", httpx.Code(core.KindTooManyRequests))
}
