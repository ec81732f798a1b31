package deploy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// composition holds the checked parts of compose.yaml; TestSchemas checks its schema.
type composition struct {
	Services map[string]struct {
		Build       struct{ Context, Dockerfile string }
		Command     []string
		Environment map[string]string
		DependsOn   any    `yaml:"depends_on"`
		Grace       string `yaml:"stop_grace_period"`
		Healthcheck struct {
			Test    any
			Disable bool
		}
		Volumes []string
		Logging struct {
			Driver  string
			Options map[string]string
		}
		SecurityOpt []string `yaml:"security_opt"`
		Deploy      struct {
			Resources struct{ Limits struct{ CPUs, Memory string } }
		}
	}
	Volumes map[string]any
}

func TestCompose(t *testing.T) {
	t.Parallel()
	given := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(read(t, "env.example"), -1) {
		given[line[1]] = line[2]
	}
	used := map[string]bool{}
	text := regexp.MustCompile(`\$\{(\w+)(:\?[^}]*)?\}`).ReplaceAllStringFunc(read(t, "compose.yaml"), func(variable string) string {
		name := regexp.MustCompile(`\w+`).FindString(variable)
		if _, ok := given[name]; !ok {
			t.Errorf("env.example lacks %s", name)
		}
		used[name] = true
		return given[name]
	})
	for name := range given {
		if !used[name] {
			t.Errorf("env.example has the unused variable %s", name)
		}
	}
	var compose composition
	if err := yaml.Unmarshal([]byte(text), &compose); err != nil {
		t.Fatal(err)
	}
	balancer := read(t, "Caddyfile")
	replicas := 0
	for name, service := range compose.Services {
		if service.Deploy.Resources.Limits.Memory == "" || service.Deploy.Resources.Limits.CPUs == "" {
			t.Errorf("%s has no limits", name)
		}
		if service.Healthcheck.Test == nil && !service.Healthcheck.Disable && service.Build.Dockerfile == "" {
			t.Errorf("%s has no health check", name)
		}
		if service.Logging.Driver != "json-file" || service.Logging.Options["max-size"] == "" || service.Logging.Options["max-file"] == "" {
			t.Errorf("the log of %s has no limit: %+v", name, service.Logging)
		}
		if !slices.Contains(service.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, declared := compose.Volumes[source]; strings.HasPrefix(source, ".") {
				if _, err := os.Stat(files + source); err != nil {
					t.Error(err)
				}
			} else if !declared {
				t.Errorf("%s uses the volume %s, which is not declared", name, source)
			}
		}
		if service.Build.Dockerfile == "" {
			continue
		}
		if _, err := os.Stat(files + service.Build.Context + "/" + service.Build.Dockerfile); err != nil {
			t.Error(err)
		}
		cfg := accepted(t, service.Environment)
		grace, err := time.ParseDuration(service.Grace)
		if err != nil || grace < cfg.StopDelay+cfg.DrainTimeout+5*time.Second {
			t.Errorf("%s is killed after %s, before its shutdown can complete", name, service.Grace)
		}
		if cfg.StopDelay < 2*time.Second {
			t.Errorf("%s stops before the balancer detects it: health checks run every second", name)
		}
		if !cfg.NoMigrate {
			t.Errorf("%s migrates, although the service migrate does", name)
		}
		if len(service.Command) > 0 {
			continue
		}
		replicas++
		if !strings.Contains(balancer, " "+name+":8080") {
			t.Errorf("the Caddyfile lacks %s", name)
		}
	}
	if replicas != 3 {
		t.Errorf("%d replicas, want 3", replicas)
	}
	if strings.Join(compose.Services["migrate"].Command, " ") != "migrate up" {
		t.Errorf("migrate runs %q", compose.Services["migrate"].Command)
	}
	for _, line := range []string{"health_uri /readyz", "health_port 9090"} {
		if !strings.Contains(balancer, line) {
			t.Errorf("the Caddyfile lacks %s", line)
		}
	}
}
