package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL server that listens only on a Unix socket in dir.
type server struct {
	dir string
	// lifeline is held open by this process. When it closes, however the process
	// ends, supervise stops the server and removes dir.
	lifeline *os.File
}

// supervise runs the server $1 on the data in $2 until its input is closed. The input lines
// "stop" and "start" stop and start it.
const supervise = `
sync=${POSTGRESTEST_SYNC:-off}
serve() {
	"$1" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=300 \
		-c fsync=$sync -c synchronous_commit=$sync -c full_page_writes=$sync >>"$2/log" 2>&1 &
}
serve "$@"
while read -r order; do
	case $order in
	stop) kill -INT $!; wait $! ;;
	start) serve "$@" ;;
	esac
done
kill -QUIT $!
wait $!
rm -rf "$2"
`

// start creates a cluster in a temporary directory and starts its server. The default
// collation is not byte order, so that columns without an explicit byte-order collation
// fail tests.
func start() (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	account, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(home(), "imprimatur-postgres-")
	if err != nil {
		return nil, err
	}
	if account != nil {
		if err := os.Chown(dir, int(account.Uid), int(account.Gid)); err != nil {
			return nil, err
		}
	}
	initdb := exec.CommandContext(context.Background(), filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US", "--no-sync", "--no-instructions")
	initdb.Dir = dir
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	s := &server{dir: dir}
	if err := s.run(filepath.Join(bin, "postgres"), account); err != nil {
		return nil, err
	}
	return s, s.awaitReady()
}

// inMemory is the file system in memory of Linux, and enough is the free space that it needs for the databases of a test.
const (
	inMemory = "/dev/shm"
	enough   = 4 << 30 // bytes
)

// home returns the directory for clusters; empty: that for temporary files. Tests keep them in memory where there is
// room: each new database is some thousand files, and creating them on a disk takes more processor time than all
// statements. Benchmarks measure the disk that a service has.
func home() string {
	var space syscall.Statfs_t
	if !testing.Testing() || syscall.Statfs(inMemory, &space) != nil || space.Bavail*uint64(space.Bsize) < enough { //nolint:gosec // a size of blocks
		return ""
	}
	return inMemory
}

func (s *server) run(program string, account *syscall.Credential) error {
	input, lifeline, err := os.Pipe()
	if err != nil {
		return err
	}
	defer input.Close() //nolint:errcheck // the child has its own
	s.lifeline = lifeline
	shell := exec.CommandContext(context.Background(), "/bin/sh", "-c", supervise, "sh", program, s.dir)
	shell.Dir = s.dir
	shell.Stdin = input
	// Its own process group: an interrupt of the tests must not reach the shell
	// before it has cleaned up.
	shell.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
	return shell.Start()
}

func (s *server) awaitReady() error {
	return s.await(func(err error) bool { return err == nil })
}

// await tries to connect until the result is as wanted.
func (s *server) await(wanted func(error) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			err = conn.Close(ctx)
		}
		if wanted(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("the server does not start or stop: %w: %s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// url returns the URL of a database. Its time limit for connecting is longer than the default of the
// program, because many tests at once leave the server little processor time.
func (s *server) url(name string) string {
	return "postgres://postgres@/" + name + "?" + url.Values{"host": {s.dir}, "sslmode": {"disable"}, "connect_timeout": {"5"}}.Encode()
}

// unprivileged returns the account for the server if this process is root, because Postgres refuses
// to run as root. Otherwise it returns nil.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and no unprivileged user was found")
}
