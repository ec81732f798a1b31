package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/web"
)

func TestCookies(t *testing.T) {
	t.Parallel()
	for base, name := range map[string]string{
		"http://cms.test":  "imprimatur_session",
		"https://cms.test": "__Host-imprimatur_session",
	} {
		parsed, err := url.Parse(base)
		require.NoError(t, err)
		cookies := web.NewCookies(parsed)
		rec := httptest.NewRecorder()
		cookies.Set(rec, "abc", 12*time.Hour)
		set := rec.Result().Cookies()[0]
		assert.Equal(t, name, set.Name)
		assert.Equal(t, parsed.Scheme == "https", set.Secure)
		assert.True(t, set.HttpOnly)
		assert.Equal(t, "/", set.Path)
		assert.Empty(t, set.Domain)
		assert.Equal(t, 43200, set.MaxAge)

		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(set)
		id, ok := cookies.Read(r)
		assert.True(t, ok)
		assert.Equal(t, "abc", id)
		r.AddCookie(&http.Cookie{Name: name, Value: "planted"})
		_, ok = cookies.Read(r)
		assert.False(t, ok)
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	seven := int64(7)
	for given, want := range map[string]struct {
		version *int64
		status  int
	}{
		"*": {nil, 0}, `"7"`: {&seven, 0}, ` "7" `: {&seven, 0},
		`W/"7"`: {nil, 412}, `"07"`: {nil, 412}, `"+7"`: {nil, 412}, `""`: {nil, 412}, `"9f86"`: {nil, 412},
		`7`: {nil, 400}, `"7`: {nil, 400}, `"7", "8"`: {nil, 400}, ``: {nil, 400}, `"`: {nil, 400},
	} {
		r := httptest.NewRequest("PATCH", "/", nil)
		r.Header.Set("If-Match", given)
		version, err := web.IfMatch(r)
		if want.status != 0 {
			require.Error(t, err, given)
			assert.Equal(t, want.status, web.Status(web.Public(err).Kind), given)
			continue
		}
		require.NoError(t, err, given)
		assert.Equal(t, want.version, version, given)
	}
	version, err := web.IfMatch(httptest.NewRequest("PATCH", "/", nil))
	require.NoError(t, err)
	assert.Nil(t, version)
}
