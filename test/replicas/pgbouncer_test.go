package replicas

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
)

// poolerSettings lists the connection parameters that PgBouncer does not forward, so that
// they are set on the database; see app/docs/events.md.
var poolerSettings = map[string]string{
	"jit": "off", "max_parallel_workers_per_gather": "0", "plan_cache_mode": "force_generic_plan",
	"random_page_cost": "1.1", "enable_memoize": "off", "idle_in_transaction_session_timeout": "2000",
}

// pooled returns the URL of a new database behind PgBouncer in transaction mode.
func pooled(t *testing.T) string {
	t.Helper()
	direct, err := url.Parse(postgrestest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(direct.Path, "/")
	conn, err := pgx.Connect(t.Context(), direct.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the results have been read
	var ignored []string
	for parameter, value := range poolerSettings {
		ignored = append(ignored, parameter)
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s SET %s = '%s'", name, parameter, value)); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	startPgBouncer(t, direct.Query().Get("host"), fmt.Sprintf(`[databases]
* = host=%s user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 40
ignore_startup_parameters = %s
`, direct.Query().Get("host"), port, strings.Join(ignored, ",")))
	address := fmt.Sprintf("127.0.0.1:%d", port)
	await.Until(t, "PgBouncer", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close() // only checks that the port is open
		}
		return err == nil
	})
	return "postgres://postgres@" + address + direct.Path + "?sslmode=disable&default_query_exec_mode=cache_describe"
}

// startPgBouncer runs PgBouncer until t ends, as the owner of the server's directory,
// because it refuses to run as root.
func startPgBouncer(t *testing.T, server, settings string) {
	t.Helper()
	program, err := pgbouncer()
	if err != nil {
		t.Fatal(err)
	}
	about, err := os.Stat(server)
	if err != nil {
		t.Fatal(err)
	}
	owner, ok := about.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("the server's directory has no owner")
	}
	dir, err := os.MkdirTemp("", "imprimatur-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a temporary directory
	path := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as above
		t.Fatal(err)
	}
	var output bytes.Buffer
	run := exec.Command(program, path)
	run.Stdout, run.Stderr = &output, &output
	run.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		run.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill() // it has no state
		_ = run.Wait()
		if t.Failed() {
			t.Logf("output of PgBouncer:\n%s", output.String())
		}
	})
}

// pgbouncer returns the path of PgBouncer, which it installs if missing.
var pgbouncer = sync.OnceValues(func() (string, error) { return installed("pgbouncer", "/usr/sbin/pgbouncer") })
