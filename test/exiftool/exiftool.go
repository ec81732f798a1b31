// Package exiftool runs ExifTool, which reads and writes the metadata of pictures, for tests.
package exiftool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Write returns the file with the tags that args set, like "-IPTC:City=Oslo".
func Write(t testing.TB, file []byte, args ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, append(args, "-overwrite_original", path)...)
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// Read returns the tags of each file by their names with group, like "IPTC:City": also unknown
// ones, duplicates and those of embedded files, as numbers where they are stored as numbers. Binary
// values are in base64.
func Read(t testing.TB, files ...[]byte) []map[string]any {
	t.Helper()
	args, dir := []string{"-json", "-G0", "-a", "-u", "-U", "-ee3", "-n", "-struct", "-b"}, t.TempDir()
	for i, file := range files {
		path := filepath.Join(dir, fmt.Sprintf("%04d", i))
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	var found []map[string]any
	if err := json.Unmarshal(run(t, args...), &found); err != nil {
		t.Fatal(err)
	}
	if len(found) != len(files) {
		t.Fatalf("exiftool read %d of %d files", len(found), len(files))
	}
	return found
}

// run returns the output of the program. The test fails if it cannot run; it never skips.
func run(t testing.TB, args ...string) []byte {
	t.Helper()
	program, err := find()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	var output, diagnostics bytes.Buffer
	command.Stdout, command.Stderr = &output, &diagnostics
	if err := command.Run(); err != nil {
		t.Fatalf("exiftool: %v: %s%s", err, output.Bytes(), diagnostics.Bytes())
	}
	return output.Bytes()
}

// find returns the path of exiftool, which it installs if missing.
var find = sync.OnceValues(func() (string, error) {
	if program, err := exec.LookPath("exiftool"); err == nil {
		return program, nil
	}
	install := exec.CommandContext(context.Background(), "/bin/sh", "-c", install)
	install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if output, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("no exiftool is installed, and installing it failed (as root: apt-get install libimage-exiftool-perl): %w: %s", err, output)
	}
	return exec.LookPath("exiftool")
})

// install waits for other running installations.
const install = `
apt-get update -qq
apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 libimage-exiftool-perl
`
