package httpx_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/installation"
)

func TestIfMatch(t *testing.T) {
	t.Parallel()
	const stale, malformed = 412, 400
	now := func() (int64, []string, error) { return 7, []string{`"9f86"`, `"a,b"`}, nil }
	for given, want := range map[string]int64{ // a version, 0 for any, or a status
		"*": 0, `"7"`: 7, ` "7" `: 7, `"8"`: 8, `"9f86"`: 7, `"a,b"`: 7,
		`"7", "8"`: 7, `"8","7"`: 7, `"8", "9f86"`: 7, `"7-9f86d081884c"`: 7, `"8", "7-9f86d081884c"`: 7, `W/"7", "9f86"`: 7, `W/"7",W/"8","7"`: 7,
		`W/"7"`: -stale, `W/"9f86"`: -stale, `"07"`: -stale, `"+7"`: -stale, `""`: -stale, `"9f87"`: -stale, `"8", "9"`: -stale, `"a"`: -stale, `"7-"`: -stale,
		`7`: -malformed, `"7`: -malformed, ``: -malformed, `"`: -malformed, `w/"7"`: -malformed, `"7" "8"`: -malformed, `"7",`: -malformed, `,"7"`: -malformed, `"7",*`: -malformed, `*,"7"`: -malformed,
	} {
		r := httptest.NewRequest("PATCH", "/", nil)
		r.Header.Set("If-Match", given)
		match, err := httpx.IfMatch(r, installation.FirstEpoch)
		var tag *core.EntryTag
		if err == nil {
			tag, err = match.Entry(now)
		}
		switch {
		case want < 0:
			require.Error(t, err, given)
			assert.Equal(t, int(-want), httpx.Status(httpx.Public(err).Kind), given)
		case want == 0:
			require.NoError(t, err, given)
			assert.Nil(t, tag, given)
		default:
			require.NoError(t, err, given)
			assert.Equal(t, want, tag.Version, given)
		}
	}
	r := httptest.NewRequest("PATCH", "/", nil)
	match, err := httpx.IfMatch(r, installation.FirstEpoch)
	require.NoError(t, err)
	tag, err := match.Entry(now)
	require.NoError(t, err)
	assert.Nil(t, tag)
	r.Header["If-Match"] = []string{`"8"`, `"7"`}
	match, err = httpx.IfMatch(r, installation.FirstEpoch)
	require.NoError(t, err)
	tag, err = match.Entry(now)
	require.NoError(t, err)
	assert.Equal(t, int64(7), tag.Version, "two headers form one list")
}
