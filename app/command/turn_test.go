package command

import (
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/app/config"
)

func TestALongJobStandsBackNowAndThen(t *testing.T) {
	t.Parallel()
	for engine, want := range map[config.Engine]time.Duration{config.SQLite: standBack, config.Postgres: 0} {
		synctest.Test(t, func(t *testing.T) {
			turn := turns(t.Context(), engine)
			for range 3 {
				expectPause(t, turn, 0)
				time.Sleep(writeFor)
				expectPause(t, turn, want)
			}
		})
	}
}

func expectPause(t *testing.T, turn func(), want time.Duration) {
	t.Helper()
	began := time.Now()
	turn()
	if took := time.Since(began); took != want {
		t.Errorf("stood back for %v, want %v", took, want)
	}
}
