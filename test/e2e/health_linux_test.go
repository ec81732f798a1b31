package e2e

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"imprimatur/test/program"
)

// zeros is a reader of zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// health is the body of /readyz?verbose.
type health struct{ Status, Database, Blobs string }

func verbose(t *testing.T, ops string) (int, health) {
	t.Helper()
	a := call(t, "GET", ops+"/readyz?verbose", "")
	return a.status, decode[health](t, a)
}

// TestFullDisk fills the disk of the database and of the files, and frees it again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p, disk := program.LaunchOnDisk(t, "48m", "serve", "--database-url", "sqlite:disk/imprimatur.db", "--blob-url", "file:disk/blobs", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	p.Await(t, "the service", func() bool { return serving.MatchString(p.Output()) })
	found := serving.FindStringSubmatch(p.Output())
	base, ops := found[1], found[2]
	if status, h := verbose(t, ops); status != 200 || h != (health{"ok", "ok", "ok"}) {
		t.Fatalf("before: %d %+v", status, h)
	}
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	p.Await(t, "the end of readiness", func() bool { return call(t, "GET", ops+"/readyz", "").status == 503 })
	const reason = "database cannot write: the disk is full"
	if a := call(t, "GET", ops+"/readyz", ""); strings.TrimSpace(string(a.body)) != reason {
		t.Errorf("/readyz answered %s", a.body)
	}
	p.Await(t, "the fault of files", func() bool {
		status, h := verbose(t, ops)
		return status == 503 && h.Status == reason && strings.Contains(h.Blobs, "no space left")
	})
	if a := call(t, "GET", base+"/openapi.json", ""); a.status != 200 {
		t.Errorf("a read answered %d", a.status)
	}
	if a := call(t, "GET", ops+"/livez", ""); a.status != 200 {
		t.Errorf("/livez answered %d", a.status)
	}
	metrics := string(call(t, "GET", ops+"/metrics", "").body)
	for _, line := range []string{"imprimatur_database_writable 0\n", "imprimatur_blobs_writable 0\n", `imprimatur_disk_free_bytes{of="database"} 0` + "\n"} {
		if !strings.Contains(metrics, line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
	if strings.Contains(metrics, `imprimatur_blob_errors_total{operation="write"} 0`) {
		t.Error("the fault of files is not counted")
	}
	for _, message := range []string{"the database cannot be written", "files cannot be written"} {
		if found := lines(t, p.Output(), `"`+message+`"`); len(found) != 1 || found[0]["level"] != "error" {
			t.Errorf("%s: %v", message, found)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	p.Await(t, "health", func() bool {
		status, h := verbose(t, ops)
		return status == 200 && h == health{"ok", "ok", "ok"}
	})
}

// TestFullDiskOfFiles fills a disk that has only files: the process stays ready.
func TestFullDiskOfFiles(t *testing.T) {
	t.Parallel()
	p, disk := program.LaunchOnDisk(t, "2m", "serve", "--blob-url", "file:disk", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	p.Await(t, "the service", func() bool { return serving.MatchString(p.Output()) })
	ops := serving.FindStringSubmatch(p.Output())[2]
	fill(t, filepath.Join(disk, "filler"))
	p.Await(t, "the fault of files", func() bool {
		status, h := verbose(t, ops)
		return status == 200 && h.Status == "ok" && h.Database == "ok" && strings.HasPrefix(h.Blobs, "cannot be written since ")
	})
	if a := call(t, "GET", ops+"/readyz", ""); a.status != 200 {
		t.Errorf("/readyz answered %d", a.status)
	}
}
