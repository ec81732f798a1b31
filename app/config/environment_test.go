package config

import "testing"

func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	known := []string{"IMPRIMATUR_BASE_URL", "IMPRIMATUR_LISTEN", "IMPRIMATUR_OPS_LISTEN"}
	for line, want := range map[string]string{
		"IMPRIMATUR_LISTEN=127.0.0.1:1":            "",
		"PATH=/bin":                                "",
		"IMPRIMATUR_LISTN=127.0.0.1:1":             "setting IMPRIMATUR_LISTN: is unknown; the nearest known one is IMPRIMATUR_LISTEN",
		"IMPRIMATUR_BASEURL=secret":                "setting IMPRIMATUR_BASEURL: is unknown; the nearest known one is IMPRIMATUR_BASE_URL",
		"IMPRIMATUR_SERVICE_HOST=10.0.0.1":         "",
		"IMPRIMATUR_PORT=tcp://10.0.0.1:80":        "",
		"IMPRIMATUR_APP_PORT_8080_TCP_ADDR=10.0.0": "",
	} {
		got := ""
		if err := CheckEnvironment(known, []string{line}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
