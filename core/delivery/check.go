package delivery

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/words"
)

const (
	longestURL    = 2000 // bytes
	mostHeaders   = 10
	longestHeader = 1000 // bytes
	mostPatterns  = 100
)

func checkName(name string, faults *core.Faults) {
	if fault := words.NameFault(name); fault != "" {
		faults.Add("name", nil, fault)
	}
}

func checkEvents(patterns []string, faults *core.Faults) {
	if len(patterns) == 0 || len(patterns) > mostPatterns {
		faults.Addf("events", nil, "must have from 1 to %d elements", mostPatterns)
		return
	}
	for i, pattern := range patterns {
		switch {
		case !event.IsPattern(pattern):
			faults.Add(fmt.Sprintf("events[%d]", i), core.Clip(pattern), `is not a type of events: use for instance "entry.published", "media.*" or "*"`)
		case slices.Contains(patterns[:i], pattern):
			faults.Add(fmt.Sprintf("events[%d]", i), pattern, "is there twice")
		}
	}
}

func checkCollections(slugs []string, present []*core.Collection, faults *core.Faults) {
	for i, slug := range slugs {
		if !slices.ContainsFunc(present, func(c *core.Collection) bool { return c.Slug == slug }) {
			faults.Add(fmt.Sprintf("collections[%d]", i), core.Clip(slug), "is not a collection of the project")
		}
	}
}

func checkLocales(locales []string, project *core.Project, faults *core.Faults) {
	for i, tag := range locales {
		if !slices.Contains(project.Locales, tag) {
			faults.Add(fmt.Sprintf("locales[%d]", i), core.Clip(tag), "is not a locale of the project")
		}
	}
}

func checkCoalesce(c Coalesce, faults *core.Faults) {
	if most := int(mostQuiet / time.Second); c.Quiet < 1 || c.Quiet > most {
		faults.Addf("coalesce.quiet", c.Quiet, "must be from 1 to %d", most)
	}
	if most := int(mostGathered / time.Second); c.Most < c.Quiet || c.Most > most {
		faults.Addf("coalesce.most", c.Most, "must be at least quiet and at most %d", most)
	}
}

// reserved are headers that HTTP or Standard Webhooks set, in lower case.
var reserved = []string{
	"host", "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
	"expect", "date", "user-agent", "accept-encoding", "cookie",
}

func isReserved(name string) bool {
	return slices.Contains(reserved, name) || strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "webhook-")
}

// isTokenCharacter reports whether r may be in the name of a header (RFC 9110, section 5.6.2).
func isTokenCharacter(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r != 0 && strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func checkHeaders(headers map[string]string, faults *core.Faults) {
	if len(headers) > mostHeaders {
		faults.Addf("headers", nil, "must have at most %d elements", mostHeaders)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, location, lower := headers[name], "headers."+core.Clip(name), strings.ToLower(name)
		switch {
		case name == "" || len(name) > longestHeader || strings.ContainsFunc(name, func(r rune) bool { return !isTokenCharacter(r) }):
			faults.Add(location, nil, "is not a name of a header")
		case isReserved(lower):
			faults.Add(location, nil, "is set by the program")
		case seen[lower]:
			faults.Add(location, nil, "is there twice")
		case len(value) > longestHeader || strings.TrimSpace(value) != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			faults.Addf(location, nil, "must have at most %d characters, all of ASCII and printable, and no space at its ends", longestHeader)
		}
		seen[lower] = true
	}
}
