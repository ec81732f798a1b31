//go:build !linux

package media_test

import (
	"errors"
	"testing"
)

func mount(string, string) error { return errors.ErrUnsupported }

func inNamespace(t *testing.T, _ plan) (code int, output string) {
	t.Helper()
	t.Skip("mount namespaces need Linux")
	return 0, ""
}
