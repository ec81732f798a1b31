package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// prefix is that of the environment variables of settings.
const prefix = "IMPRIMATUR_"

// serviceLink matches the variables that Kubernetes sets for a Service whose name begins with
// imprimatur.
var serviceLink = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// CheckEnvironment returns an error for the first variable in environ that begins like a setting and is
// none of known. environ has lines like NAME=value.
func CheckEnvironment(known, environ []string) error {
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) || serviceLink.MatchString(name) {
			continue
		}
		return fmt.Errorf("setting %s: is unknown; the nearest known one is %s", name, nearest(name, known))
	}
	return nil
}

// nearest returns the text in all, which is not empty, that takes the fewest edits to become name.
func nearest(name string, all []string) string {
	return slices.MinFunc(all, func(a, b string) int { return edits(name, a) - edits(name, b) })
}

// edits returns the Levenshtein distance of a and b in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
