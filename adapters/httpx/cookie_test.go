package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
)

func TestCookies(t *testing.T) {
	t.Parallel()
	for base, name := range map[string]string{
		"http://cms.test":  "imprimatur_session",
		"https://cms.test": "__Host-imprimatur_session",
	} {
		parsed, err := url.Parse(base)
		require.NoError(t, err)
		cookies := httpx.NewCookies(parsed)
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
