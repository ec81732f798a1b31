package command

import (
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/app/config"
)

func TestLongJobsPauseOnSQLiteOnly(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]time.Duration{"sqlite:none.db": writePause, "postgres://user@localhost/none": 0} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config.Default()
			cfg.DatabaseURL = url
			yield, err := newYield(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				expectPause(t, yield, 0)
				time.Sleep(writeTime)
				expectPause(t, yield, want)
			}
		})
	}
}

func expectPause(t *testing.T, yield func(), want time.Duration) {
	t.Helper()
	began := time.Now()
	yield()
	if took := time.Since(began); took != want {
		t.Errorf("paused for %v, want %v", took, want)
	}
}
