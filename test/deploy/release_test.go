package deploy

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestRelease makes a release for this platform and looks into each artefact.
func TestRelease(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "release")
	platform := runtime.GOOS + "/" + runtime.GOARCH
	release := exec.CommandContext(t.Context(), "go", "run", ".", "-version", "1.2.3", "-out", out, "-platforms", platform)
	release.Dir, release.Env = "../../.tools/release", append(os.Environ(), "COMMIT=0123456789abcdef")
	if output, err := release.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	name := "imprimatur_1.2.3_" + strings.ReplaceAll(platform, "/", "_")
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	if want := []string{"checksums.txt", "imprimatur_1.2.3.cdx.json", name + ".tar.gz"}; !slices.Equal(names, want) {
		t.Fatalf("the artefacts are %q, want %q", names, want)
	}

	sums := artefact(t, out, "checksums.txt")
	for _, name := range names[1:] {
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(artefact(t, out, name))), name); !strings.Contains(sums, line) {
			t.Errorf("the checksums lack %s", line)
		}
	}

	content := unpack(t, filepath.Join(out, name+".tar.gz"))
	for _, file := range []string{"imprimatur", "LICENSE", "LICENCES.txt", "imprimatur.service"} {
		if len(content[name+"/"+file]) == 0 {
			t.Errorf("the archive lacks %s", file)
		}
	}
	program := filepath.Join(t.TempDir(), "imprimatur")
	if err := os.WriteFile(program, content[name+"/imprimatur"], 0o700); err != nil {
		t.Fatal(err)
	}
	const want = "imprimatur 1.2.3 (commit 0123456789abcdef, "
	if version, err := exec.CommandContext(t.Context(), program, "version").Output(); err != nil || !strings.HasPrefix(string(version), want) {
		t.Errorf("the program says %s, want %s: %v", version, want, err)
	}

	var bill struct {
		BOMFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Component struct{ Name, Version string }
		}
		Components []struct {
			Type, Name, Version, Purl string
			Licenses                  []struct{ License struct{ ID string } }
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal([]byte(artefact(t, out, names[1])), &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" || !strings.HasPrefix(bill.SerialNumber, "urn:uuid:") || bill.Metadata.Component.Version != "1.2.3" {
		t.Errorf("the SBOM begins with %+v", bill.Metadata)
	}
	kinds := map[string]int{}
	for _, c := range bill.Components {
		kind, _, _ := strings.Cut(strings.TrimPrefix(c.Purl, "pkg:"), "/")
		kinds[kind]++
		if c.Type != "library" || c.Name == "" || c.Version == "" || kind == "npm" && (len(c.Licenses) != 1 || c.Licenses[0].License.ID == "") {
			t.Errorf("the SBOM has %+v", c)
		}
	}
	if kinds["golang"] < 50 || kinds["npm"] < 10 || len(bill.Dependencies) != 1 || len(bill.Dependencies[0].DependsOn) != len(bill.Components) {
		t.Errorf("the SBOM has %v components", kinds)
	}
}

func artefact(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// unpack returns the files of an archive by name.
func unpack(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}
