package peers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"imprimatur/test/bench/load"
)

// prepareNPM installs a peer from npm and creates its database. It returns the common parts
// of such a server; the caller sets environment and command.
func (b *bench) prepareNPM(ctx context.Context, name string, afterwards ...[]string) (*server, database, error) {
	dir, err := b.install(ctx, name, afterwards...)
	if err != nil {
		return nil, database{}, err
	}
	size, err := sizeOf(dir)
	if err != nil {
		return nil, database{}, err
	}
	d, err := b.database(ctx, name)
	if err != nil {
		return nil, database{}, err
	}
	postmaster, err := load.Postmaster(ctx, d.url())
	if err != nil {
		return nil, database{}, err
	}
	address, err := load.FreeAddress()
	return &server{address: address, dir: dir, installed: size, postmaster: postmaster}, d, err
}

// port returns the port of the server as text.
func (s *server) port() string {
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		panic(err) // a valid address
	}
	return port
}

// node returns the path of the Node binary that all npm peers use.
func (b *bench) node() string { return filepath.Join(b.dir, "node/node_modules/node/bin/node") }

// install copies a peer's directory and installs the packages of its lock file, unless done
// already; then it runs the given commands there. It does not use npm ci, which requires the
// optional binaries of all platforms in the lock file, and not all registries provide them.
func (b *bench) install(ctx context.Context, name string, afterwards ...[]string) (dir string, err error) {
	source, dir := filepath.Join(b.source, name), filepath.Join(b.dir, name)
	sum, err := hash(source)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, ".installed")
	if done, err := os.ReadFile(mark); err == nil && string(done) == sum {
		return dir, nil
	}
	say("%s: installing with npm", name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return "", err
	}
	for _, command := range append([][]string{{"npm", "install"}}, afterwards...) {
		c := exec.CommandContext(ctx, command[0], command[1:]...)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(b.node())+":"+os.Getenv("PATH"))
		if _, err := outputOf(c, dir); err != nil {
			return "", err
		}
	}
	return dir, os.WriteFile(mark, []byte(sum), 0o644)
}

// hash returns a hash of the names and contents of all files in a directory.
func hash(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s\n%d\n%s", strings.TrimPrefix(path, dir), len(content), content)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// sizeOf returns the size of a file, or of all files in a directory.
func sizeOf(root string) (size int64, err error) {
	err = filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// versionOf returns the version of a package that our package.json pins.
func versionOf(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &pinned); err != nil {
		return "", err
	}
	return pinned.Dependencies[name], nil
}
