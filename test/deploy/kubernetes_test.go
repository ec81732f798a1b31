package deploy

import (
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"imprimatur/test/program"
)

type labels map[string]string

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

type container struct {
	Args    []string
	EnvFrom []map[string]struct{ Name string } `yaml:"envFrom"`
	Ports   []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe   probe `yaml:"startupProbe"`
	ReadinessProbe probe `yaml:"readinessProbe"`
	LivenessProbe  probe `yaml:"livenessProbe"`
	Lifecycle      struct {
		PreStop struct{ Exec struct{ Command []string } } `yaml:"preStop"`
	}
	Resources       struct{ Requests, Limits map[string]string }
	SecurityContext struct {
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
}

// manifest holds the checked parts of the manifests; TestSchemas checks their schema.
type manifest struct {
	Kind       string
	Metadata   struct{ Name string }
	Data       map[string]string
	StringData map[string]string `yaml:"stringData"`
	Resources  []string          // of a kustomization
	Images     []struct{ Name, Digest string }
	Spec       struct {
		Replicas int
		Strategy struct {
			RollingUpdate struct {
				MaxUnavailable int `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		}
		Selector yaml.Node
		Ports    []struct {
			Name       string
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata struct{ Labels labels }
			Spec     struct {
				Grace           int `yaml:"terminationGracePeriodSeconds"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				InitContainers []container `yaml:"initContainers"`
				Containers     []container
			}
		}
		PodSelector struct {
			MatchLabels labels `yaml:"matchLabels"`
		} `yaml:"podSelector"`
		PolicyTypes []string `yaml:"policyTypes"`
		Ingress     []struct {
			From  []any
			Ports []struct{ Port string }
		}
		Rules []struct {
			HTTP struct {
				Paths []struct {
					Backend struct {
						Service struct {
							Name string
							Port struct{ Name string }
						}
					}
				}
			}
		}
	}
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	manifests := map[string]manifest{}
	kustomization := load(t, "kustomization.yaml")
	if len(kustomization.Images) != 1 || !strings.HasPrefix(kustomization.Images[0].Digest, "sha256:") {
		t.Errorf("the image has no digest: %+v", kustomization.Images)
	}
	for _, name := range kustomization.Resources {
		m := load(t, name)
		manifests[m.Kind] = m
	}
	deployment := manifests["Deployment"].Spec
	pod := deployment.Template.Spec
	if deployment.Replicas != 3 || deployment.Strategy.RollingUpdate.MaxUnavailable != 0 || !pod.SecurityContext.RunAsNonRoot {
		t.Errorf("%+v", deployment)
	}
	if len(pod.Containers) != 1 || len(pod.InitContainers) != 1 {
		t.Fatalf("%d init containers and %d containers, want 1 and 1", len(pod.InitContainers), len(pod.Containers))
	}

	// All references are valid.
	for kind, selector := range map[string]string{"Deployment": "matchLabels", "PodDisruptionBudget": "matchLabels", "Service": ""} {
		var selected map[string]any
		node := manifests[kind].Spec.Selector
		if err := node.Decode(&selected); err != nil {
			t.Fatal(err)
		}
		if selector != "" {
			selected, _ = selected[selector].(map[string]any)
		}
		for key, value := range selected {
			if deployment.Template.Metadata.Labels[key] != value {
				t.Errorf("%s selects %s: %v, which pods do not have", kind, key, value)
			}
		}
		if len(selected) == 0 {
			t.Errorf("%s selects everything", kind)
		}
	}
	serving := pod.Containers[0]
	ports := map[string]int{}
	for _, port := range serving.Ports {
		ports[port.Name] = port.ContainerPort
	}
	if ports["http"] != 8080 || ports["ops"] != 9090 {
		t.Errorf("ports %v, want those of the image", ports)
	}
	service := manifests["Service"]
	if len(service.Spec.Ports) != 1 || ports[service.Spec.Ports[0].TargetPort] != 8080 {
		t.Errorf("the service targets %v", service.Spec.Ports)
	}
	backend := manifests["Ingress"].Spec.Rules[0].HTTP.Paths[0].Backend.Service
	if backend.Name != service.Metadata.Name || backend.Port.Name != service.Spec.Ports[0].Name {
		t.Errorf("the ingress targets %v", backend)
	}

	// Everybody may reach the public port, only named namespaces that of operations.
	policy := manifests["NetworkPolicy"].Spec
	if !maps.Equal(policy.PodSelector.MatchLabels, deployment.Template.Metadata.Labels) || !slices.Equal(policy.PolicyTypes, []string{"Ingress"}) || len(policy.Ingress) != 2 {
		t.Errorf("the policy is %+v", policy)
	}
	for _, rule := range policy.Ingress {
		if len(rule.Ports) != 1 || ports[rule.Ports[0].Port] == 0 || (rule.Ports[0].Port == "ops") != (len(rule.From) > 0) {
			t.Errorf("the policy has %+v", rule)
		}
	}

	// The program knows the settings, and both containers have the required ones.
	sources := map[string]map[string]string{"configMapRef": manifests["ConfigMap"].Data, "secretRef": manifests["Secret"].StringData}
	settings := map[string]string{}
	for _, source := range serving.EnvFrom {
		for kind, of := range source {
			if of.Name != manifests["ConfigMap"].Metadata.Name || of.Name != manifests["Secret"].Metadata.Name {
				t.Errorf("unknown %s %s", kind, of.Name)
			}
			maps.Copy(settings, sources[kind])
		}
	}
	cfg := accepted(t, settings)
	if cfg.DatabaseURL == "" || !cfg.NoMigrate {
		t.Errorf("%+v", cfg)
	}
	migrating := pod.InitContainers[0]
	if !slices.Equal(migrating.Args, []string{"migrate", "up"}) || len(migrating.EnvFrom) != 1 || migrating.EnvFrom[0]["secretRef"].Name == "" {
		t.Errorf("%+v", migrating)
	}
	for _, c := range []container{serving, migrating} {
		if c.Resources.Requests["memory"] == "" || c.Resources.Limits["memory"] == "" || !c.SecurityContext.ReadOnlyRootFilesystem ||
			c.SecurityContext.AllowPrivilegeEscalation == nil || *c.SecurityContext.AllowPrivilegeEscalation || !slices.Contains(c.SecurityContext.Capabilities.Drop, "ALL") {
			t.Errorf("%+v", c)
		}
	}
	pause, err := time.ParseDuration(serving.Lifecycle.PreStop.Exec.Command[1] + "s")
	if err != nil || time.Duration(pod.Grace)*time.Second < pause+cfg.StopDelay+cfg.DrainTimeout+5*time.Second {
		t.Errorf("a pod is killed after %d s, before its shutdown can complete", pod.Grace)
	}

	// The program serves the paths of the probes.
	p := program.Launch(t, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	ops := regexp.MustCompile(`operations on (http://\S+)\)`)
	p.Await(t, "the service", func() bool { return ops.MatchString(p.Output()) })
	for name, probe := range map[string]probe{"startup": serving.StartupProbe, "readiness": serving.ReadinessProbe, "liveness": serving.LivenessProbe} {
		response, err := http.Get(ops.FindStringSubmatch(p.Output())[1] + probe.HTTPGet.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode != 200 || probe.HTTPGet.Port != "ops" {
			t.Errorf("%s: %+v answered %d", name, probe, response.StatusCode)
		}
	}
}

func load(t *testing.T, name string) manifest {
	t.Helper()
	var m manifest
	if err := yaml.Unmarshal([]byte(read(t, "kubernetes/"+name)), &m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}
