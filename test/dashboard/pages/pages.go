// Package pages runs the tests in adapters/dashboard/web/tests in a browser, against the demo. The
// packages beside it run one part each: they run at the same time, and each has limits of its own.
package pages

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"imprimatur/test/checkout"
	"imprimatur/test/program"
)

// limit ends a run of Playwright, with a report that names the test that it was in.
const limit = "--global-timeout=1200000" // ms

// The parts name files of tests. Rest returns those that neither names.
var (
	Editing   = []string{"changes", "drag", "editor", "items", "phone", "preview", "related", "richtext", "several", "single", "typing"}
	Reviewing = []string{"approving", "comments", "content", "desk", "proof", "reviewer", "search", "start", "story"}
)

// Rest returns the files of tests that are in no other part.
func Rest(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Sources(t), "tests", "*.spec.ts"))
	if err != nil {
		t.Fatal(err)
	}
	var rest []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".spec.ts")
		if !slices.Contains(Editing, name) && !slices.Contains(Reviewing, name) {
			rest = append(rest, name)
		}
	}
	return rest
}

// Browser is an installed browser.
type Browser struct {
	project string // of playwright.config.ts
	path    string
}

// Shell returns the headless shell of Chromium, which takes half the processor time: the same engine without what
// draws windows. It returns the Chromium of the system where there is no shell of the same version.
func Shell(t *testing.T) Browser {
	t.Helper()
	whole := Chromium(t)
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil || version(t, path) != version(t, whole.path) {
		return whole
	}
	return Browser{"chromium", path}
}

// Chromium returns the Chromium of the system, which users have.
func Chromium(t *testing.T) Browser {
	t.Helper()
	return installed(t, "chromium", "chromium", "chromium-browser", "google-chrome")
}

// Firefox returns the Firefox of the system.
func Firefox(t *testing.T) Browser {
	t.Helper()
	return installed(t, "firefox", "firefox-esr", "firefox")
}

// installed finds a browser by its names and prints its version.
func installed(t *testing.T, project string, names ...string) Browser {
	t.Helper()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		fmt.Printf("%s: %s\n", path, version(t, path))
		return Browser{project, path}
	}
	t.Fatalf("these tests need a browser: apt-get install %s", names[0])
	return Browser{}
}

// version returns the name and the version of a browser, such as "Chromium 156.0.8078.108".
func version(t *testing.T, path string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), path, "--version").Output()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(output)), " built on ")
	return line
}

// Run runs tests in a browser against a new demo with these settings. The selection has arguments of
// Playwright, such as names of files.
func Run(t *testing.T, browser Browser, settings []string, selection ...string) {
	t.Helper()
	demo, _ := program.Demo(t, settings...)
	environment := []string{"BROWSER_PATH=" + browser.path, "DEMO=" + filepath.Join(demo.Dir, "var", "demo", "demo.json"), "RESULTS=" + t.TempDir()}
	arguments := append([]string{"test", "--project=" + browser.project, limit}, selection...)
	Command(t, environment, filepath.Join("node_modules", ".bin", "playwright"), arguments...)
}

// Command runs a command in the sources of the dashboard, with the npm packages installed. It prints
// the output as it comes, so that a run that is ended for its length shows how far it came. The
// environment has lines such as NAME=value.
func Command(t *testing.T, environment []string, name string, arguments ...string) {
	t.Helper()
	if output, err := install(t); err != nil {
		t.Fatalf("npm: %v\n%s", err, output)
	}
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = Sources(t)
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = os.Stdout, os.Stdout
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Sources returns the folder with the sources of the dashboard.
func Sources(t *testing.T) string {
	t.Helper()
	folder, err := checkout.Folder()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "adapters", "dashboard", "web")
}

// installing keeps tests of one process from installing at the same time.
var installing sync.Mutex

// install installs the npm packages of the lock file, unless they are installed. Test packages run
// in processes of their own, which wait for each other by a lock on package.json.
func install(t *testing.T) (output []byte, err error) {
	installing.Lock()
	defer installing.Unlock()
	sources := Sources(t)
	manifest, err := os.Open(filepath.Join(sources, "package.json"))
	if err != nil {
		return nil, err
	}
	defer manifest.Close() //nolint:errcheck // only read; this releases the lock
	if err := syscall.Flock(int(manifest.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	wanted, err := os.ReadFile(filepath.Join(sources, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(wanted))
	stamp := filepath.Join(sources, "node_modules", ".installed")
	if done, err := os.ReadFile(stamp); err == nil && string(done) == sum {
		return nil, nil
	}
	command := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-progress")
	command.Dir = sources
	if output, err := command.CombinedOutput(); err != nil {
		return output, err
	}
	return nil, os.WriteFile(stamp, []byte(sum), 0o600)
}
