package replicas

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestProduction runs the commands of app/docs/production.md in one shell: installation, drill and upgrade.
// Paths are those of a folder, ports are free ones, and systemctl, systemd-run, runuser and psql are
// scripts that do the same there. Caddy, the program and Postgres are real.
func TestProduction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../app/docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(steps) < 13 {
		t.Fatalf("only %d steps found", len(steps))
	}
	m := newMachine(t)
	var script strings.Builder
	for i, step := range steps {
		fmt.Fprintf(&script, "echo '--- step %d ---'\n%s\n", i+1, m.replaced.Replace(step[1]))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-e", "-u", "-o", "pipefail", "-c", script.String())
	shell.Dir, shell.Env = m.root, m.environment
	output, err := shell.CombinedOutput()
	if err != nil {
		logs, _ := os.ReadFile(m.root + "/log")
		t.Fatalf("%v\n%s\n%s", err, output, logs)
	}
	for _, want := range []string{
		"imprimatur_1.0.0_linux_amd64.tar.gz: OK", "secret-key = **** (set)", "user 1: you@content.example", "sent to you@content.example",
		"the archive is whole", "restored ", "0 differences found", "The installation stays paused", "you@content.example", ", schema 0",
	} {
		if !strings.Contains(string(output), want) {
			t.Errorf("no %q in the output", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", output)
	}
}

// machine is a folder in place of a machine.
type machine struct {
	root        string
	replaced    *strings.Replacer
	environment []string
}

// newMachine makes a release, a server of Postgres, a relay for mails, and the commands of the machine.
func newMachine(t *testing.T) *machine {
	t.Helper()
	proxy, err := caddy()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{root: t.TempDir()}
	for _, folder := range []string{"bin", "usr/local/bin", "usr/local/sbin", "etc/systemd/system", "etc/caddy", "etc/cron.daily", "var/lib/imprimatur", "var/backups"} {
		if err := os.MkdirAll(filepath.Join(m.root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	release(t, m.root)
	server := postgrestest.NewServer(t)
	address, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	relay := startRelay(t)
	site := fmt.Sprintf("localhost:%d", freePort(t))
	m.replaced = strings.NewReplacer(
		"/usr/local/", m.root+"/usr/local/", "/etc/", m.root+"/etc/", "/var/", m.root+"/var/",
		"127.0.0.1:5432/imprimatur", "/imprimatur?"+address.RawQuery,
		"127.0.0.1:8080", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "127.0.0.1:9090", fmt.Sprintf("127.0.0.1:%d", freePort(t)),
		"smtp://user:password@relay.example:587", "smtp://"+relay+"?tls=opportunistic",
		"https://content.example/", "--insecure https://"+site+"/", "https://content.example", "https://"+site,
		"content.example {", "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"+site+" {\n\ttls internal",
	)
	for name, lines := range map[string]string{
		"runuser":     `shift 3; exec "$@"`,
		"psql":        "TEST_PSQL='" + server.URL() + "' exec '" + own(t) + "'",
		"systemd-run": runAsService,
		"systemctl":   strings.ReplaceAll(control, "CADDY", proxy),
	} {
		path := filepath.Join(m.root, "bin", name)
		if err := os.WriteFile(path, []byte("#!/bin/bash\nset -eu\nROOT='"+m.root+"'\n"+lines+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.environment = append(os.Environ(), "PATH="+m.root+"/bin:"+os.Getenv("PATH"), "XDG_DATA_HOME="+m.root, "XDG_CONFIG_HOME="+m.root)
	t.Cleanup(func() {
		for _, unit := range []string{"imprimatur", "caddy"} {
			stop := exec.CommandContext(context.Background(), filepath.Join(m.root, "bin", "systemctl"), "stop", unit)
			if output, err := stop.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, output)
			}
		}
	})
	return m
}

// runAsService is systemd-run: it takes the properties that the guide uses.
const runAsService = `
while [ $# -gt 0 ]; do
	case $1 in
	-p)
		case $2 in
		EnvironmentFile=*) file=${2#*=} ;;
		WorkingDirectory=*) cd "${2#*=}" ;;
		User=imprimatur | DynamicUser=yes | StateDirectory=imprimatur) ;;
		*) echo "unexpected property $2" >&2; exit 2 ;;
		esac
		shift 2
		;;
	--quiet | --pipe | --wait | --collect) shift ;;
	*) break ;;
	esac
done
while IFS= read -r line; do export "$line"; done < "$file"
exec "$@"`

// control is systemctl for the units imprimatur and caddy.
const control = `
start() {
	if [ "$1" = caddy ]; then
		setsid CADDY run --config "$ROOT/etc/caddy/Caddyfile" >>"$ROOT/log" 2>&1 </dev/null &
	else
		command=$(sed -n 's/^ExecStart=//p' "$ROOT/etc/systemd/system/$1.service")
		(
			cd "$ROOT/var/lib/imprimatur"
			while IFS= read -r line; do export "$line"; done < "$ROOT/etc/imprimatur/imprimatur.env"
			exec setsid $ROOT$command
		) >>"$ROOT/log" 2>&1 </dev/null &
	fi
	echo $! > "$ROOT/$1.pid"
}
stop() {
	[ -f "$ROOT/$1.pid" ] || return 0
	pid=$(cat "$ROOT/$1.pid")
	rm "$ROOT/$1.pid"
	kill "$pid" 2>/dev/null || return 0
	while [ -e "/proc/$pid/exe" ]; do sleep 0.05; done # also false for a zombie
}
case $1 in
daemon-reload) ;;
enable) start "$3" ;;
start) start "$2" ;;
stop) stop "$2" ;;
restart) stop "$2"; start "$2" ;;
*) echo "unexpected: $*" >&2; exit 2 ;;
esac`

// own returns the path of the program of this test.
func own(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// psql runs the statements on standard input in the database at address. The tests have no psql where npm installed
// the server.
func psql(address string, input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the process ends
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%w in %s", err, statement)
		}
	}
	return nil
}

// release writes the files of a release into folder.
func release(t *testing.T, folder string) {
	t.Helper()
	const name = "imprimatur_1.0.0_linux_amd64"
	file, err := os.Create(filepath.Join(folder, name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	compressed, err := gzip.NewWriterLevel(io.MultiWriter(file, sum), gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(compressed)
	for member, source := range map[string]string{"imprimatur": program.Binary(), "imprimatur.service": "../../app/deploy/imprimatur.service"} {
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := archive.WriteHeader(&tar.Header{Name: name + "/" + member, Mode: 0o755, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []io.Closer{archive, compressed, file} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sums := fmt.Sprintf("%x  %s.tar.gz\n%064x  imprimatur_1.0.0_linux_arm64.tar.gz\n", sum.Sum(nil), name, 0)
	if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(sums), 0o600); err != nil {
		t.Fatal(err)
	}
}

// relay is an SMTP server that takes all mails.
type relay struct{}

func startRelay(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(relay{})
	server.Domain = "localhost"
	go func() { _ = server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// NewSession implements smtp.Backend.
func (relay) NewSession(*smtp.Conn) (smtp.Session, error) { return relay{}, nil }

func (relay) Mail(string, *smtp.MailOptions) error { return nil }
func (relay) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (relay) Reset()                               {}
func (relay) Logout() error                        { return nil }
func (relay) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
