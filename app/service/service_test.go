package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/goleak"

	"imprimatur/app/config"
	"imprimatur/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func setup(t *testing.T) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	cfg.Listen, cfg.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.LogLevel = "error"
	return cfg
}

func TestRootCause(t *testing.T) {
	t.Parallel()
	start, other := startFault("setting --listen: in use"), errors.New("close failed")
	for want, err := range map[string]error{
		"setting --listen: in use":        errors.Join(fmt.Errorf("wiring: %w", start), other),
		"close failed":                    fmt.Errorf("wiring: %w", other),
		errors.Join(other, other).Error(): errors.Join(other, other),
	} {
		if got := rootCause(err); got.Error() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWiring checks that every configuration provides all dependencies.
func TestWiring(t *testing.T) {
	t.Parallel()
	sqlite := setup(t)
	postgres := sqlite
	postgres.DatabaseURL = "postgres://someone@localhost/somewhere"
	replicas := postgres
	replicas.RedisURL = "redis://127.0.0.1:1/3"
	https := sqlite
	https.BaseURL = "https://content.example"
	unlimited := sqlite
	unlimited.RateLimit = 0
	for name, cfg := range map[string]config.Config{"SQLite": sqlite, "Postgres": postgres, "Postgres and Redis": replicas, "https": https, "unlimited": unlimited} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := cfg.Validate(); err != nil {
				t.Error(err)
			}
			if err := fx.ValidateApp(Options(cfg)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRunServesUntilCancelled starts and stops the whole service in process.
func TestRunServesUntilCancelled(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ready := make(chan Addresses, 1)
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, setup(t), func(a Addresses) { ready <- a }) }()
	select {
	case a := <-ready:
		for url, want := range map[string]int{
			a.Ops + "/livez": 200, a.Ops + "/readyz": 200, a.Ops + "/metrics": 200, a.Ops + "/nothing": 404,
			a.Public + "/livez": 404, a.Public + "/openapi.json": 200, a.Public + "/api/tenants": 401,
		} {
			if got := status(t, url); got != want {
				t.Errorf("%s answered %d, want %d", url, got, want)
			}
		}
	case err := <-ended:
		t.Fatal(err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the service did not stop")
	}
}

// TestReadyMeansMigrated checks that a process is not ready before its tables exist.
func TestReadyMeansMigrated(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	cfg := setup(t)
	cfg.NoMigrate = true
	ready := make(chan Addresses, 1)
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cfg, func(a Addresses) { ready <- a }) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	a := <-ready
	if got := status(t, a.Ops+"/readyz"); got != 503 {
		t.Errorf("without tables: /readyz answered %d", got)
	}
	db, err := OpenDatabase(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := status(t, a.Ops+"/readyz"); got != 200 {
		t.Errorf("with tables: /readyz answered %d", got)
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// TestUseFillsTargets starts only the use cases, as commands do.
func TestUseFillsTargets(t *testing.T) {
	t.Parallel()
	var stores ports.Stores
	stop, err := Use(t.Context(), setup(t), &stores)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if tenants, err := stores.Tenants.Tenants(t.Context()); err != nil || len(tenants) != 0 {
		t.Errorf("a new database contains %v, %v", tenants, err)
	}
}
