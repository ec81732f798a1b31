package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlite"
	"imprimatur/core"
	"imprimatur/ports"
)

// installation is a migrated SQLite database with one project, and a folder for files.
type testInstallation struct {
	database, blobs string // flags
	stores          ports.Stores
	project         *core.Project
}

func newInstallation(t *testing.T) *testInstallation {
	t.Helper()
	path, blobs := filepath.Join(t.TempDir(), "imprimatur.db"), t.TempDir()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	in := &testInstallation{database: "--database-url=sqlite:" + path, blobs: "--blob-url=file:" + blobs, stores: db.Stores()}
	now := time.UnixMilli(1)
	tenant := core.Tenant{Name: "Meridian", CreatedAt: now, UpdatedAt: now}
	require.NoError(t, in.stores.Tenants.Insert(t.Context(), &tenant))
	in.project = &core.Project{
		UUID: uuid.NewString(), TenantID: tenant.ID, Name: "Desk", DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: now, UpdatedAt: now,
	}
	require.NoError(t, in.stores.Projects.Insert(t.Context(), in.project))
	return in
}

var errNoSpace = errors.New("no space left")

// full is a writer that fails, as a full disk does.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errNoSpace }

// TestWriteErrors checks that a command fails when standard output does.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	in := newInstallation(t)
	for name, args := range map[string][]string{
		"user create":    {"user", "create", in.database, "--email", "a@meridian.example"},
		"check":          {"check", in.database, in.blobs},
		"media sweep":    {"media", "sweep", in.database, in.blobs},
		"media rebuild":  {"media", "rebuild", in.database, in.blobs},
		"migrate status": {"migrate", "status", in.database},
	} {
		err := New(strings.NewReader("a long password\n"), full{}, io.Discard).Run(t.Context(), append([]string{"imprimatur"}, args...))
		require.ErrorIs(t, err, errNoSpace, name)
	}
}

// TestPlansMakeNoDatabase prints the plan and the state of a database that does not exist yet.
func TestPlansMakeNoDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database := "--database-url=sqlite:" + filepath.Join(folder, "new", "imprimatur.db")
	for want, args := range map[string][]string{
		"CREATE TABLE tenants":  {"migrate", "--dry-run", database},
		"0001_baseline missing": {"migrate", "status", database},
	} {
		var out strings.Builder
		require.NoError(t, New(strings.NewReader(""), &out, io.Discard).Run(t.Context(), append([]string{"imprimatur"}, args...)))
		require.Contains(t, strings.Join(strings.Fields(out.String()), " "), want) // the columns are as wide as the longest name
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestTokenIsRevokedWithoutItsSecret checks that no token stays valid whose secret was not printed.
func TestTokenIsRevokedWithoutItsSecret(t *testing.T) {
	t.Parallel()
	in := newInstallation(t)
	create := func(out io.Writer) error {
		args := []string{"imprimatur", "token", "create", in.database, "--project", in.project.UUID, "--name", "site"}
		return New(strings.NewReader(""), out, io.Discard).Run(t.Context(), args)
	}
	require.NoError(t, create(io.Discard))
	require.EqualError(t, create(full{}), "cannot print the secret; the token is revoked: no space left")
	tokens, err := in.stores.Tokens.Tokens(t.Context(), in.project.ID)
	require.NoError(t, err)
	require.Len(t, tokens, 2)
	require.True(t, tokens[0].RevokedAt.IsZero())
	require.False(t, tokens[1].RevokedAt.IsZero())
}

func TestMailTest(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"setting --smtp-url: is required to send e-mails":       {"--to", "a@b.example"},
		"setting --mail-from: is required with --smtp-url":      {"--to", "a@b.example", "--smtp-url", "smtp://u:secret@127.0.0.1:1"},
		`setting --to: "nobody" is not an e-mail address`:       {"--to", "nobody", "--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "a@b.example"},
		"the mail was not sent: the server refuses connections": {"--to", "a@b.example", "--smtp-url", "smtp://u:secret@127.0.0.1:1", "--mail-from", "a@b.example"},
	} {
		require.EqualError(t, New(strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(), append([]string{"imprimatur", "mail", "test"}, args...)), want)
	}
}
