package service

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/config"
	"imprimatur/core/secret"
)

func unneeded() (bool, error) { return false, nil }

// TestKeyIsMadeOnce starts several processes beside a SQLite database without a key: all have the
// same key, also later.
func TestKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	cfg := setup(t)
	_, database, err := cfg.Database()
	require.NoError(t, err)
	path := filepath.Join(filepath.Dir(database), "imprimatur.key")
	keys := make([]secret.Key, 8)
	var starting sync.WaitGroup
	for i := range keys {
		starting.Go(func() { keys[i], _ = openSecret(cfg, unneeded) })
	}
	starting.Wait()
	for _, key := range keys {
		require.NotZero(t, key[:])
		require.Equal(t, keys[0], key)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1, "temporary files are left")

	cfg.SecretKey = "@" + path
	named, err := openSecret(cfg, unneeded)
	require.NoError(t, err)
	require.Equal(t, keys[0], named)
}

func TestKeyOfSetting(t *testing.T) {
	t.Parallel()
	k := secret.New()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for name, c := range map[string]struct{ setting, fault string }{
		"base64":           {k.Encode(), ""},
		"a file":           {"@" + write("good", k.Encode()+"\n"), ""},
		"a passphrase":     {"correct horse battery staple", "setting --secret-key: must be 32 bytes in base64; make a key with: openssl rand -base64 32"},
		"a malformed file": {"@" + write("bad", "half a k"), "setting --secret-key: the file " + folder + "/bad must be 32 bytes in base64; make a key with: openssl rand -base64 32"},
		"no file":          {"@" + folder + "/none", "setting --secret-key: cannot read the file " + folder + "/none: no such file or directory"},
		"nothing":          {"", "setting --secret-key: must be set with Postgres, the same for all processes; make a key with: openssl rand -base64 32"},
	} {
		cfg := config.Default()
		cfg.DatabaseURL, cfg.SecretKey = "postgres://localhost/imprimatur", c.setting
		key, err := openSecret(cfg, unneeded)
		if c.fault != "" {
			require.EqualError(t, err, c.fault, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, k, key, name)
	}
}

// A malformed file stays as it is.
func TestKeyFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	cfg := setup(t)
	_, database, err := cfg.Database()
	require.NoError(t, err)
	for _, text := range []string{"", "half a k"} {
		path := filepath.Join(filepath.Dir(database), "imprimatur.key")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = openSecret(cfg, unneeded)
		require.ErrorContains(t, err, "setting --secret-key: the file "+path+" must be 32 bytes in base64")
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept))
	}
}

// A lost key is not replaced while the database needs it.
func TestLostKeyIsNotReplaced(t *testing.T) {
	t.Parallel()
	cfg := setup(t)
	_, database, err := cfg.Database()
	require.NoError(t, err)
	_, err = openSecret(cfg, func() (bool, error) { return true, nil })
	require.ErrorContains(t, err, "imprimatur.key is missing, but the database has values that only it opens; restore it, or, if it is lost, set another key "+
		"(make one with: openssl rand -base64 32) and replace it with: imprimatur keys rotate --new-secret-key")
	require.NoFileExists(t, filepath.Join(filepath.Dir(database), "imprimatur.key"))
}
