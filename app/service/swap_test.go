package service_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// These tests are the examples of app/docs/swap-an-adapter.md, which shows their code.

// start runs the whole service on SQLite until the test ends, with more options.
func start(t *testing.T, options ...fx.Option) {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	cfg.BlobURL, cfg.CatchMail = "mem://", true
	cfg.Listen, cfg.OpsListen, cfg.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "error"
	app := fx.New(service.Options(cfg), fx.Options(options...))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// system is the actor of commands.
var system = core.Actor{System: true}

// stopped is a clock that does not go.
type stopped struct{ now time.Time }

func (c stopped) Now() time.Time { return c.now }

func TestSwapTheClock(t *testing.T) {
	t.Parallel()
	day := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	var organisation *access.Organisation
	start(t, fx.Populate(&organisation),
		fx.Decorate(func(ports.Clock) ports.Clock { return stopped{day} }))

	tenant, err := organisation.CreateTenant(t.Context(), system, "Meridian")
	if err != nil || !tenant.CreatedAt.Equal(day) {
		t.Fatalf("created at %v, %v; want %v", tenant.CreatedAt, err, day)
	}
}

// sent gets the e-mails in place of a server.
type sent chan ports.MailMessage

func (s sent) Send(_ context.Context, m ports.MailMessage) ports.MailAnswer {
	s <- m
	return ports.MailAnswer{}
}

func TestSwapMail(t *testing.T) {
	t.Parallel()
	var users *access.Users
	var resets *identity.Resets
	mails := make(sent, 1)
	start(t, fx.Populate(&users, &resets),
		fx.Decorate(func(ports.MailSender) ports.MailSender { return mails }))

	ada := access.UserInput{Email: "ada@example.org", Name: "Ada", Password: "correct horse battery"}
	if _, err := users.Create(t.Context(), system, 0, ada); err != nil {
		t.Fatal(err)
	}
	if err := resets.Request(t.Context(), ada.Email, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if m := <-mails; m.Address != ada.Email {
		t.Fatalf("sent to %q, want %q", m.Address, ada.Email)
	}
}

// fullDisk is a storage of files without room.
type fullDisk struct{ ports.BlobStore }

var errFull = errors.New("no space left")

func (fullDisk) Create(context.Context, string, io.Reader) error { return errFull }

func TestSwapBlobs(t *testing.T) {
	t.Parallel()
	var library *media.Library
	start(t, fx.Populate(&library),
		fx.Decorate(func(blobs ports.BlobStore) ports.BlobStore { return fullDisk{blobs} }))

	project := &core.Project{ID: 1, UploadLimit: core.DefaultUploadLimit}
	_, err := library.Receive(t.Context(), project, "note.txt", strings.NewReader("a note"))
	if !errors.Is(err, errFull) {
		t.Fatalf("got %v, want %v", err, errFull)
	}
}

// lostTenants is a store whose reads fail. All other methods are those of the database.
type lostTenants struct{ ports.TenantStore }

var errLost = errors.New("connection lost")

func (lostTenants) Tenants(context.Context) ([]core.Tenant, error) { return nil, errLost }

func TestSwapAStore(t *testing.T) {
	t.Parallel()
	var organisation *access.Organisation
	start(t, fx.Populate(&organisation),
		fx.Decorate(func(stores ports.Stores) ports.Stores {
			stores.Tenants = lostTenants{stores.Tenants}
			return stores
		}))

	if _, err := organisation.Tenants(t.Context(), system); !errors.Is(err, errLost) {
		t.Fatalf("got %v, want %v", err, errLost)
	}
}

// TestSwapPage checks that the code on the page is the code of this file.
func TestSwapPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/swap-an-adapter.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("swap_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for block := range strings.SplitSeq(string(page), "```go\n") {
		block, _, ends := strings.Cut(block, "```")
		if !ends || shown == 0 && strings.HasPrefix(block, "#") {
			continue
		}
		shown++
		if !strings.Contains(string(code), block) {
			t.Errorf("the page shows code that no test runs:\n%s", block)
		}
	}
	if shown < 5 {
		t.Errorf("the page shows %d pieces of code, want 5", shown)
	}
}
