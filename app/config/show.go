package config

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/urfave/cli/v3"
)

// masked takes the place of a secret.
const masked = "****"

// Show returns a line "name = value (source)" for each setting, in the order of flags. Passwords in
// URLs and the secret key are masked.
func Show(flags []cli.Flag, isSet func(name string) bool) []string {
	lines := make([]string, 0, len(flags))
	for _, f := range flags {
		name := f.Names()[0]
		source := "default"
		if isSet(name) {
			source = "set"
		}
		lines = append(lines, fmt.Sprintf("%s = %s (%s)", name, mask(name, fmt.Sprint(f.Get())), source))
	}
	return lines
}

// mask returns the value of a setting without its secrets.
func mask(name, value string) string {
	switch {
	case value == "" || strings.HasPrefix(value, "@"):
		return value
	case name == "secret-key":
		return masked
	case !strings.HasSuffix(name, "-url"):
		return value
	}
	u, err := url.Parse(value)
	if err != nil || u.Opaque == "" && u.Host == "" && u.Path == "" {
		return masked
	}
	query := u.Query()
	for key := range query {
		if lower := strings.ToLower(key); strings.Contains(lower, "password") || strings.Contains(lower, "secret") || strings.Contains(lower, "key") {
			query.Set(key, masked)
		}
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "%2A", "*")
	return strings.Replace(u.Redacted(), ":xxxxx@", ":"+masked+"@", 1)
}
