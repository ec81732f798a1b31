package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// printed runs a command and returns its output.
func printed(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := New(strings.NewReader(""), &out, io.Discard).Run(t.Context(), append([]string{"imprimatur"}, args...))
	return out.String(), err
}

func TestUnknownVariablesStopEveryCommand(t *testing.T) {
	t.Setenv("IMPRIMATUR_LISTN", "127.0.0.1:1")
	for _, args := range [][]string{{"version"}, {"serve"}, {"user", "create"}} {
		_, err := printed(t, args...)
		require.EqualError(t, err, "setting IMPRIMATUR_LISTN: is unknown; the nearest known one is IMPRIMATUR_LISTEN")
	}
}

// TestConfigMasksSecrets checks that the command prints what is in force and no secret.
func TestConfigMasksSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "smtp")
	require.NoError(t, os.WriteFile(file, []byte("smtp://relay:hunter2@mail.example:587\n"), 0o600))
	t.Setenv("IMPRIMATUR_SMTP_URL", "@"+file)
	t.Setenv("IMPRIMATUR_MAIL_FROM", "a@b.example")
	out, err := printed(t, "config", "--database-url", "postgres://app:hunter2@db.example/content?sslpassword=hunter2", "--secret-key", "aHVudGVyMmh1bnRlcjJodW50ZXIyaHVudGVyMjIyMjI=")
	require.NoError(t, err)
	require.NotContains(t, out, "hunter2")
	require.NotContains(t, out, "aHVud")
	for _, line := range []string{
		"database-url = postgres://app:****@db.example/content?sslpassword=**** (set)",
		"secret-key = **** (set)", "mail-from = a@b.example (set)", "listen = 127.0.0.1:8080 (default)",
	} {
		require.Contains(t, out, line+"\n")
	}
	require.Contains(t, out, "smtp-url = ")
}

// TestSecretsComeFromFiles checks each setting that may have a password.
func TestSecretsComeFromFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"database-url", "blob-url", "redis-url", "smtp-url"} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte("nonsense\n"), 0o600))
		_, err := printed(t, "config", "--mail-from", "a@b.example", "--"+name, "@"+file)
		require.ErrorContains(t, err, "setting --"+name+": must ")
		_, err = printed(t, "config", "--mail-from", "a@b.example", "--"+name, "@"+file+".missing")
		require.EqualError(t, err, "setting --"+name+": cannot read the file "+file+".missing")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out, err := printed(t, "version")
	require.NoError(t, err)
	require.Regexp(t, `^imprimatur \S+ \(commit \S+, go1\.\S+, schema \d{4}_\w+\)\n$`, out)
}
