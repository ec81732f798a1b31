package projectdoc

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// name gives each collection and each component the name that its schemas begin with: its slug in PascalCase.
// Generators tell names apart neither by case nor by marks, and make types of all kinds of components, so
// that no two names in the document are the same without these.
func (w *writer) name() {
	taken := map[string]bool{}
	for _, all := range w.Template.components {
		for name := range all {
			taken[bare(name)] = true
		}
	}
	var ofCollections []string
	for _, kind := range []string{schemas, responses} {
		ofCollections = append(ofCollections, slices.Sorted(maps.Keys(w.typed[kind]))...)
	}
	ofCollections = append(ofCollections, fieldsSuffix, relatedSuffix, targetSuffix, "WhereParameter", "SortParameter", "OrParameter")
	name := func(slug string, suffixes []string) string {
		base := ""
		for word := range strings.SplitSeq(slug, "-") {
			base += capital(word)
		}
		if base[0] <= '9' {
			base = "N" + base
		}
		found := base
		for n := 2; slices.ContainsFunc(suffixes, func(suffix string) bool { return taken[bare(found+suffix)] }); n++ {
			found = base + "_" + strconv.Itoa(n)
		}
		for _, suffix := range suffixes {
			taken[bare(found+suffix)] = true
		}
		return found
	}
	w.owners, w.parts = map[string]*owner{"": {name: name("any", ofCollections)}}, map[string]string{}
	for _, c := range w.Collections {
		w.owners[c.Slug] = &owner{name(c.Slug, ofCollections), c}
	}
	for _, c := range w.Components {
		w.parts[c.Slug] = name(c.Slug, []string{groupSuffix, itemSuffix, blockSuffix, groupSuffix + writeSuffix, itemSuffix + writeSuffix, blockSuffix + writeSuffix})
	}
}

// bare returns a name without case and marks.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
