package deploy

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"imprimatur/app/config"
)

// TestUnit checks the unit of systemd against the program, and how much of the machine it exposes where
// systemd-analyze is installed.
func TestUnit(t *testing.T) {
	t.Parallel()
	settings := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(read(t, "imprimatur.service"), -1) {
		settings[line[1]] = line[2]
	}
	for name, want := range map[string]string{
		"ExecStart": "/usr/local/bin/imprimatur serve", "DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": "",
		"StateDirectory": "imprimatur", "WorkingDirectory": "/var/lib/imprimatur",
	} {
		if got, found := settings[name]; got != want || !found {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	cfg := config.Default()
	stop, err := time.ParseDuration(settings["TimeoutStopSec"] + "s")
	if err != nil || stop < cfg.StopDelay+cfg.DrainTimeout+5*time.Second {
		t.Errorf("the service is killed after %s, before its shutdown can complete", settings["TimeoutStopSec"])
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	// The threshold is ten times the exposure.
	output, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold=20", "--no-pager", files+"imprimatur.service").CombinedOutput()
	if err != nil || !strings.Contains(string(output), "Overall exposure level") {
		t.Errorf("%v\n%s", err, output)
	}
}
