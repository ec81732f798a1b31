package event

import (
	"slices"
	"strings"
)

// All is the element of webhook.Webhook.Events that stands for all types.
const All = "*"

// Matches reports whether t is the pattern or one of the types that it stands for.
func Matches(pattern string, t Type) bool {
	if group, ok := strings.CutSuffix(pattern, All); ok {
		return strings.HasPrefix(string(t), group)
	}
	return pattern == string(t)
}

// IsPattern reports whether pattern is a type of events that occur in Projects, or stands for
// some: "*", or the part of a type before its dot with ".*".
func IsPattern(pattern string) bool {
	group, grouped := strings.CutSuffix(pattern, All)
	return (!grouped || group == "" || strings.HasSuffix(group, ".")) &&
		slices.ContainsFunc(eventTypes, func(row eventType) bool { return row.InProject && Matches(pattern, row.Type) })
}

// Patterns returns all texts that IsPattern admits: first "*", then each group of types
// before its types.
func Patterns() []string {
	patterns := []string{All}
	for _, row := range eventTypes {
		if !row.InProject {
			continue
		}
		group, _, _ := strings.Cut(string(row.Type), ".")
		if group += "." + All; !slices.Contains(patterns, group) {
			patterns = append(patterns, group)
		}
		patterns = append(patterns, string(row.Type))
	}
	return patterns
}
