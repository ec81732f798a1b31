package transfer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The size of transactions follows a speed of one entry a millisecond, and of ten.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	require.Equal(t, firstEntries, p.next(1000))
	require.Equal(t, 7, p.next(7))
	for range 8 {
		n := p.next(1000)
		p.took(n, time.Duration(n)*time.Millisecond)
	}
	require.Equal(t, 100, p.next(1000))
	p.took(2, 50*time.Millisecond)
	require.Equal(t, 100, p.next(1000), "the rest of a portion")
	p.took(100, time.Second)
	require.Equal(t, 10, p.next(1000))
	p.took(1, time.Minute)
	require.Equal(t, 1, p.next(1000), "one entry always")
	p.took(1000, time.Millisecond)
	require.Equal(t, 1000, p.next(1000))
}

// While others write, transactions take longestShared, an eighth of longest.
func TestSharedPace(t *testing.T) {
	t.Parallel()
	var p pace
	p.share(true)
	require.Positive(t, p.next(1000))
	write := func(others bool) {
		for range 8 {
			n := p.next(1000)
			p.took(n, time.Duration(n)*time.Millisecond)
			p.share(others)
		}
	}
	write(true)
	require.Equal(t, 12, p.next(1000))
	write(false)
	require.Equal(t, 100, p.next(1000))
	p.share(true)
	require.Equal(t, 12, p.next(1000), "at once")
	p.share(true)
	require.Equal(t, 12, p.next(1000))
}
