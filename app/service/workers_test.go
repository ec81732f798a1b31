package service

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBackgroundWorkRests has three portions of work of different lengths: drain rests after each for as long
// as it took.
func TestBackgroundWorkRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, calls := time.Now(), 0
		require.NoError(t, drain(t.Context(), func(context.Context) (bool, error) {
			calls++
			time.Sleep(time.Duration(calls) * time.Second)
			return calls < 4, nil
		}))
		require.Equal(t, 4, calls)
		require.Equal(t, (1+1+2+2+3+3+4)*time.Second, time.Since(began))
	})
}

// TestBackgroundWorkEndsWhileItRests stops the program during a rest.
func TestBackgroundWorkEndsWhileItRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		began, calls := time.Now(), 0
		time.AfterFunc(90*time.Second, stop)
		require.NoError(t, drain(ctx, func(context.Context) (bool, error) {
			calls++
			time.Sleep(time.Minute)
			return true, nil
		}))
		require.Equal(t, 1, calls)
		require.Equal(t, 90*time.Second, time.Since(began))
	})
}
