package delivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attempt int
		asked   time.Duration
		random  float64
		want    time.Duration
	}{
		{1, 0, 0, 5 * time.Second},
		{1, 0, 1, 6 * time.Second},
		{2, 0, 0, 30 * time.Second},
		{7, 0, 0, 3 * time.Hour},
		{8, 0, 0, 6 * time.Hour},
		{80, 0, 0, 6 * time.Hour},
		{1, time.Minute, 0, time.Minute},
		{1, 25 * time.Hour, 0, time.Hour},
		{8, time.Minute, 0, 6 * time.Hour},
	} {
		require.Equal(t, c.want, wait(c.attempt, c.asked, c.random), c)
	}
}
