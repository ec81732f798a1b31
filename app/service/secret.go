package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/fx"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/core/cachetag"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
)

// keyFile is the name of the file with the secret key, beside the SQLite database.
const keyFile = "imprimatur.key"

// makeKey is the command that makes a secret key.
const makeKey = "openssl rand -base64 32"

// openSecret returns the secret key that cfg names. If cfg names none, the key is in a file beside
// the SQLite database. openSecret makes it if it does not exist, unless needed reports that the
// database has data that only the lost key opens.
func openSecret(cfg config.Config, needed func() (bool, error)) (secret.Key, error) {
	if path, named := strings.CutPrefix(cfg.SecretKey, "@"); named {
		return readKey(path)
	}
	if cfg.SecretKey != "" {
		return parseKey(cfg.SecretKey, "")
	}
	folder := cfg.KeyFolder
	if folder == "" {
		engine, address, err := cfg.Database()
		if err != nil {
			return secret.Key{}, startFault("setting --database-url: %v", err)
		}
		if engine != config.SQLite {
			return secret.Key{}, startFault("setting --secret-key: must be set with Postgres, the same for all processes; make a key with: %s", makeKey)
		}
		folder = filepath.Dir(address)
	}
	return openKeyFile(filepath.Join(folder, keyFile), needed)
}

// newCacheTags returns the scheme of cache tags, nil if they are off.
func newCacheTags(cfg config.Config, key secret.Key) *cachetag.Scheme {
	return cachetag.New(cachetag.Header(cfg.CacheTags), key)
}

// provideSecret returns the secret key for fx.
func provideSecret(cfg config.Config, db *sqlstore.DB) (secret.Key, error) {
	return openSecret(cfg, func() (bool, error) {
		ctx := context.Background()
		migrated, err := db.Migrated(ctx)
		if err != nil || !migrated {
			return false, err
		}
		bound, err := db.Stores().SigningKeys.SecretCheck(ctx)
		return bound != nil, err
	})
}

// secretModule is started before the listeners and the workers, which would use a wrong key.
var secretModule = fx.Module("secret", fx.Invoke(checkSecret))

// checkSecret lets the start fail if the secret key is not the one of the database.
func checkSecret(lifecycle fx.Lifecycle, db *sqlstore.DB, keys *signing.Keys) {
	lifecycle.Append(fx.StartHook(func(ctx context.Context) error {
		if migrated, err := db.Migrated(ctx); err != nil || !migrated {
			return err // /readyz reports missing migrations
		}
		err := keys.Check(ctx)
		if errors.Is(err, signing.ErrSecret) {
			return SecretFault()
		}
		return err
	}))
}

// SecretFault returns the error for a secret key that is not the one of the database.
func SecretFault() error {
	return startFault("setting --secret-key: is not the key of this database; set the one with which the database was first started, " +
		"or, if it is lost, replace it by this one with: imprimatur keys rotate --new-secret-key")
}

// openKeyFile returns the key in the file at path. It makes the file if it does not exist and
// another one is not needed.
func openKeyFile(path string, needed func() (bool, error)) (secret.Key, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if lost, err := needed(); lost || err != nil {
			return secret.Key{}, cmp.Or(err, startFault("setting --secret-key: the file %s is missing, but the database has values that only it opens; "+
				"restore it, or, if it is lost, set another key (make one with: %s) and replace it with: imprimatur keys rotate --new-secret-key", path, makeKey))
		}
		if err := writeKey(path, secret.New()); err != nil {
			return secret.Key{}, startFault("setting --secret-key: cannot make the file %s: %v", path, reason(err))
		}
	}
	return readKey(path)
}

// writeKey makes the file at path with k, accessible only for its owner. Another process never sees
// a part of it. An existing file stays as it is.
func writeKey(path string, k secret.Key) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), keyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // the name of the key stays
	_, err = fmt.Fprintln(file, k.Encode())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// readKey returns the key in the file at path.
func readKey(path string) (secret.Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return secret.Key{}, startFault("setting --secret-key: cannot read the file %s: %v", path, reason(err))
	}
	return parseKey(string(text), "the file "+path+" ")
}

// parseKey returns the key that text has. place names the text in the error.
func parseKey(text, place string) (secret.Key, error) {
	key, err := secret.Parse(text)
	if err != nil {
		return secret.Key{}, startFault("setting --secret-key: %s%v; make a key with: %s", place, err, makeKey)
	}
	return key, nil
}

// reason returns the cause of an error of package os, without the path.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err
	}
	return err
}
