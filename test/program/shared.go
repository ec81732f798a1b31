package program

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"imprimatur/test/checkout"
)

// shared calls use with a folder that all test processes of a checkout have, one process at a time: linking
// the program and creating the organisation of the demo take seconds of each.
func shared(use func(folder string) error) error {
	caches, err := os.UserCacheDir()
	if err != nil {
		caches = os.TempDir() // no home
	}
	here, err := checkout.Folder()
	if err != nil {
		return err
	}
	folder := filepath.Join(caches, "imprimatur-test", fmt.Sprintf("%x", sha256.Sum256([]byte(here)))[:16])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing is written; this releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return use(folder)
}

// takeOver makes to the same file as from, by a link where one is possible. A later build replaces from and
// leaves to as it is.
func takeOver(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // only read
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Close()
}

// seedAge is how old the organisation of a demo may be. It has plans for the next days, and tests expect them in
// the future.
const seedAge = 15 * time.Minute

// copySeed copies the folder of a demo's data to folder. It creates the organisation unless one exists that this
// program has made within seedAge.
func copySeed(t testing.TB, folder string) error {
	t.Helper()
	built, err := os.Stat(binary)
	if err != nil {
		return err
	}
	return shared(func(shared string) error {
		seed := filepath.Join(shared, "demo")
		made, err := os.Stat(filepath.Join(seed, "demo.json"))
		if err != nil || made.ModTime().Before(built.ModTime()) || time.Since(made.ModTime()) > seedAge {
			if err := os.RemoveAll(seed); err != nil {
				return err
			}
			p, _ := FreshDemo(t)
			p.Stop(t)
			half := seed + ".new" // the rename makes it complete
			if err := os.RemoveAll(half); err != nil {
				return err
			}
			if err := os.CopyFS(half, os.DirFS(filepath.Join(p.Dir, demoFolder))); err != nil {
				return err
			}
			if err := os.Rename(half, seed); err != nil {
				return err
			}
		}
		return os.CopyFS(folder, os.DirFS(seed))
	})
}
