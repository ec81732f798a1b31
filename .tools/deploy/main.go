// Command deploy validates the files of app/deploy: a compose file with the loader of
// docker compose, manifests with the types of the Kubernetes API. It reports unknown
// members as errors.
//
//	deploy <compose.yaml> <env file> <manifest>…
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: deploy <compose.yaml> <env file> <manifest>…")
		os.Exit(2)
	}
	faults := []error{compose(os.Args[1], os.Args[2])}
	for _, path := range os.Args[3:] {
		faults = append(faults, manifest(path))
	}
	if err := errors.Join(faults...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compose(path, env string) error {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithoutEnvironmentResolution, cli.WithEnvFiles(env), cli.WithDotEnv)
	if err != nil {
		return err
	}
	if _, err := options.LoadProject(context.Background()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// kinds are the supported kinds of manifests.
var kinds = map[metav1.TypeMeta]func() any{
	{APIVersion: "v1", Kind: "ConfigMap"}:                       func() any { return new(corev1.ConfigMap) },
	{APIVersion: "v1", Kind: "Secret"}:                          func() any { return new(corev1.Secret) },
	{APIVersion: "v1", Kind: "Service"}:                         func() any { return new(corev1.Service) },
	{APIVersion: "apps/v1", Kind: "Deployment"}:                 func() any { return new(appsv1.Deployment) },
	{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"}:       func() any { return new(networkingv1.Ingress) },
	{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}: func() any { return new(networkingv1.NetworkPolicy) },
	{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}:      func() any { return new(policyv1.PodDisruptionBudget) },
}

func manifest(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	object, known := kinds[kind]
	if !known {
		return fmt.Errorf("%s: unsupported kind %s of %s", path, kind.Kind, kind.APIVersion)
	}
	if err := yaml.UnmarshalStrict(text, object()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
