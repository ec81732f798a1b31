// Package deploy checks that the files of app/deploy match the program: its build,
// settings, health checks and endpoints.
package deploy

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
	"go.yaml.in/yaml/v3"

	"imprimatur/app/config"
	"imprimatur/core/secret"
	"imprimatur/test/program"
)

const files = "../../app/deploy/"

// TestMain builds the program with the command of the Dockerfile.
func TestMain(m *testing.M) {
	os.Exit(program.MainBuilt(m, func(output string) *exec.Cmd {
		text, err := os.ReadFile(files + "Dockerfile")
		if err != nil {
			return exec.Command("false", err.Error())
		}
		build := exec.Command("/bin/sh", "-c", strings.Replace(buildLine(string(text)), "-o /imprimatur", "-o "+output, 1))
		build.Dir = "../.."
		return build
	}))
}

// buildLine returns the build command in a file, "" if missing.
func buildLine(text string) string {
	return regexp.MustCompile(`CGO_ENABLED=0 go build .* \./app`).FindString(text)
}

func TestTaskAndImageBuildAlike(t *testing.T) {
	t.Parallel()
	output := regexp.MustCompile(`-o \S+( \| default "\S+"}})?|-o \{\{[^}]*\}\}|-o "\$OUTPUT"`)
	image := output.ReplaceAllString(buildLine(read(t, "Dockerfile")), "")
	task := output.ReplaceAllString(buildLine(read(t, "../../Taskfile.yml")), "")
	if image == "" || image != task {
		t.Errorf("the image is built by\n%s\nand the task by\n%s", image, task)
	}
	if released := output.ReplaceAllString(buildLine(read(t, "../../.tools/release/main.go")), ""); released != image {
		t.Errorf("the image is built by\n%s\nand releases by\n%s", image, released)
	}
}

// TestSize limits the size of the program, which doubles without the build tags of the Dockerfile.
func TestSize(t *testing.T) {
	t.Parallel()
	const most = 60_000_000
	info, err := os.Stat(program.Binary())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() > most {
		t.Errorf("the program has %d bytes, want at most 60 MB", info.Size())
	}
}

// TestImage checks settings, health check and command of the image on other ports.
func TestImage(t *testing.T) {
	t.Parallel()
	dockerfile := read(t, "Dockerfile")
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(dockerfile) {
		t.Error("the image runs as root")
	}
	settings := map[string]string{}
	for _, set := range regexp.MustCompile(`(IMPRIMATUR_\w+)=(\S+)`).FindAllStringSubmatch(dockerfile, -1) {
		settings[set[1]] = set[2]
	}
	cfg := accepted(t, settings)
	for _, address := range []string{cfg.Listen, cfg.OpsListen} {
		if host, port, err := net.SplitHostPort(address); err != nil || host != "0.0.0.0" || !strings.Contains(dockerfile, port) {
			t.Errorf("the image does not expose %s", address)
		}
	}
	check := regexp.MustCompile(`CMD (\["bash".*\])`).FindStringSubmatch(dockerfile)
	if check == nil {
		t.Fatal("no health check")
	}
	command := decode[[]string](t, check[1])
	if status := health(t, command, "1"); status == 0 {
		t.Error("the health check succeeds without a server")
	}
	p := program.Launch(t, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	ops := regexp.MustCompile(`operations on http://127\.0\.0\.1:(\d+)`)
	p.Await(t, "the service", func() bool { return ops.MatchString(p.Output()) })
	if status := health(t, command, ops.FindStringSubmatch(p.Output())[1]); status != 0 {
		t.Errorf("the health check exited with %d", status)
	}
}

// health runs a health check on another port.
func health(t *testing.T, command []string, port string) int {
	t.Helper()
	script := strings.Replace(command[2], "/9090", "/"+port, 1)
	if script == command[2] {
		t.Fatal("the health check does not use the operations port")
	}
	run := exec.Command(command[0], command[1], script)
	_ = run.Run() // the exit code is the result
	return run.ProcessState.ExitCode()
}

// accepted returns the configuration from environment variables and checks that the program
// knows each.
func accepted(t *testing.T, environment map[string]string) config.Config {
	t.Helper()
	cfg := config.Default()
	command := &cli.Command{Flags: cfg.Flags(), Action: func(context.Context, *cli.Command) error { return nil }}
	var args []string
	for name, value := range environment {
		if !strings.HasPrefix(name, "IMPRIMATUR_") {
			continue
		}
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "IMPRIMATUR_"), "_", "-"))
		if !slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) }) {
			t.Errorf("unknown setting %s", name)
			continue
		}
		if flag == "secret-key" {
			if _, err := secret.Parse(value); err == nil {
				t.Error("the files have a secret key, which all readers know")
			}
			value = secret.New().Encode()
		}
		args = append(args, "--"+flag+"="+value)
	}
	if err := command.Run(t.Context(), append([]string{"x"}, args...)); err != nil {
		t.Error(err)
	}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	return cfg
}

// TestSchemas validates the files against the schemas of docker compose and Kubernetes.
func TestSchemas(t *testing.T) {
	t.Parallel()
	manifests, err := filepath.Glob(files + "kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manifests = slices.DeleteFunc(manifests, func(path string) bool { return filepath.Base(path) == "kustomization.yaml" })
	tool := filepath.Join(t.TempDir(), "deploy")
	build := exec.Command("go", "build", "-o", tool, ".")
	build.Dir = "../../.tools/deploy"
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if output, err := exec.Command(tool, append([]string{files + "compose.yaml", files + "env.example"}, manifests...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	for name, fault := range map[string]struct{ of, old, new string }{
		"a member of a manifest": {"kubernetes/deployment.yaml", "periodSeconds: 10", "periodSecond: 10"},
		"a kind":                 {"kubernetes/service.yaml", "kind: Service", "kind: Servant"},
		"a member of a service":  {"compose.yaml", "stop_grace_period: 40s", "stop_grace: 40s"},
	} {
		text := read(t, fault.of)
		wrong := filepath.Join(t.TempDir(), "wrong.yaml")
		if err := os.WriteFile(wrong, []byte(strings.Replace(text, fault.old, fault.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		compose, manifest := files+"compose.yaml", wrong
		if fault.of == "compose.yaml" {
			compose, manifest = wrong, manifests[0]
		}
		if output, err := exec.Command(tool, compose, files+"env.example", manifest).CombinedOutput(); err == nil {
			t.Errorf("%s: the fault is not detected: %s", name, output)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(files + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// decode decodes YAML and refuses unknown members.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(fmt.Errorf("%w in %.200s", err, text))
	}
	return value
}
