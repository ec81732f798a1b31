package command

import (
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/app/config"
)

func TestALongJobStandsBackWhileThereAreOthers(t *testing.T) {
	t.Parallel()
	for others, want := range map[bool]time.Duration{true: standBack, false: 0} {
		synctest.Test(t, func(t *testing.T) {
			turn := turnsWith(t.Context(), func() bool { return others })
			for range 3 {
				expectPause(t, turn, 0)
				time.Sleep(writeFor)
				expectPause(t, turn, want)
			}
		})
	}
}

func TestALongJobOnPostgresStandsBackForNobody(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.DatabaseURL = "postgres://nobody@localhost/none"
	synctest.Test(t, func(t *testing.T) {
		turn, err := turns(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(writeFor)
		expectPause(t, turn, 0)
	})
}

func expectPause(t *testing.T, turn func(), want time.Duration) {
	t.Helper()
	began := time.Now()
	turn()
	if took := time.Since(began); took != want {
		t.Errorf("stood back for %v, want %v", took, want)
	}
}
