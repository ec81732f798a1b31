package service

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"imprimatur/core"
)

// crowd bounds how many requests are under way at once, of all kinds together. Where
// the doors of the database wait a moment for a place, this one turns away at once:
// with so many under way, even to refuse one with care takes time from the others.
type crowd struct {
	inside, refused atomic.Int64
}

// mostAtOnce is more than a process can be at with everybody being answered in time.
const mostAtOnce = 2000

// bound lets next answer unless too many are under way, and has refuse answer then.
// Uploads, which take as long as bytes keep coming, are not counted.
func (c *crowd) bound(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			next.ServeHTTP(w, r)
			return
		}
		defer c.inside.Add(-1)
		if c.inside.Add(1) > mostAtOnce {
			c.refused.Add(1)
			refuse(w, r, &core.Error{
				Kind: core.KindUnavailable, Code: "busy", Message: "more is asked than can be done at the moment; try again a little later",
				RetryAfter: 2 * time.Second,
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}
