// Command release writes the artefacts of a release into a folder: an archive with the program for each platform,
// an SBOM (CycloneDX) and the SHA-256 checksums of all. It runs in .tools/release. The same source and version
// give the same bytes.
//
//	go run . -version 1.2.3 [-out ../../var/release] [-platforms linux/amd64,windows/arm64]
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// root is the folder of the program's module.
const root = "../.."

func main() {
	r := release{}
	platforms := ""
	flag.StringVar(&r.version, "version", "", "version of the release, such as 1.2.3")
	flag.StringVar(&r.out, "out", filepath.Join(root, "var/release"), "folder of the artefacts; it is emptied")
	flag.StringVar(&platforms, "platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "platforms, joined by commas")
	flag.Parse()
	if err := r.make(strings.Split(platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release makes the artefacts.
type release struct {
	version  string
	out      string    // absolute
	programs string    // folder of the programs before they are archived
	commit   string    // of the source, which Go does not find in every checkout
	made     time.Time // of the commit; the time of all files in archives
	licences []byte
}

var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func (r *release) make(platforms []string) (err error) {
	if !versionForm.MatchString(r.version) {
		return errors.New("-version must be a semantic version such as 1.2.3")
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	if r.programs, err = os.MkdirTemp("", "imprimatur-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.programs) //nolint:errcheck // temporary
	if r.commit, err = commit(); err != nil {
		return err
	}
	if r.made, err = commitTime(); err != nil {
		return err
	}
	here, err := r.build(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		return err
	}
	if r.licences, err = output(here, "licences"); err != nil {
		return err
	}
	var programs []string
	for _, platform := range platforms {
		program, err := r.build(platform)
		if err != nil {
			return err
		}
		if err := r.archive(platform, program); err != nil {
			return err
		}
		programs = append(programs, program)
	}
	if err := r.writeBill(programs); err != nil {
		return err
	}
	return r.writeChecksums()
}

// commit returns the revision of the source, or COMMIT.
func commit() (string, error) {
	if given := os.Getenv("COMMIT"); given != "" {
		return given, nil
	}
	revision, err := output("git", "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	changes, err := output("git", "status", "--porcelain", "--untracked-files=no")
	if err == nil && len(changes) > 0 {
		return strings.TrimSpace(string(revision)) + "-modified", nil
	}
	return strings.TrimSpace(string(revision)), err
}

// commitTime returns the time of the last commit, or SOURCE_DATE_EPOCH.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		committed, err := output("git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, err
		}
		text = strings.TrimSpace(string(committed))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// build builds the program for a platform ("linux/amd64") and returns its path.
func (r *release) build(platform string) (string, error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return "", fmt.Errorf("platform %q must be like linux/amd64", platform)
	}
	program := filepath.Join(r.programs, system+"_"+processor, "imprimatur")
	if system == "windows" {
		program += ".exe"
	}
	// As go tool task build, which test/deploy compares with this line.
	build := exec.Command("sh", "-c", `CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_template,grpcnotrace -ldflags "-s -w -X imprimatur/app/build.version=$VERSION -X imprimatur/app/build.commit=$COMMIT" -o "$OUTPUT" ./app`)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "VERSION="+r.version, "COMMIT="+r.commit, "OUTPUT="+program)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build for %s: %w", platform, err)
	}
	return program, nil
}

// output runs a command and returns its standard output.
func output(name string, args ...string) ([]byte, error) {
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// writeChecksums writes the checksums of all artefacts in the form of sha256sum.
func (r *release) writeChecksums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(r.out, file.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), file.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(text.String()), 0o644)
}
