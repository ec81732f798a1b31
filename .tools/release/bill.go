package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// bill is an SBOM in the form of CycloneDX 1.6.
type bill struct {
	Format       string      `json:"bomFormat"`
	Spec         string      `json:"specVersion"`
	Serial       string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
	Dependencies []relation  `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Ref      string    `json:"bom-ref"`
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	URL      string    `json:"purl"`
	Licences []licence `json:"licenses,omitempty"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type relation struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// writeBill writes the SBOM of the programs: the Go modules that they say they were built from, and the packages in
// the dashboard's bundle.
func (r *release) writeBill(programs []string) error {
	all := bundled(r.licences)
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		all = append(all, library("golang", "std", strings.TrimPrefix(info.GoVersion, "go")))
		for _, module := range info.Deps {
			all = append(all, library("golang", module.Path, module.Version))
		}
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	all = slices.CompactFunc(all, func(a, b component) bool { return a.Ref == b.Ref })
	refs := make([]string, len(all))
	for i, c := range all {
		refs[i] = c.Ref
	}
	itself := library("generic", "imprimatur", r.version)
	itself.Type = "application"
	text, err := json.MarshalIndent(bill{
		Format: "CycloneDX", Spec: "1.6", Serial: serial(refs), Version: 1,
		Metadata:   metadata{r.made.Format(time.RFC3339), itself},
		Components: all, Dependencies: []relation{{itself.Ref, refs}},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "imprimatur_"+r.version+".cdx.json"), append(text, '\n'), 0o644)
}

// library returns a component of an ecosystem of package URLs.
func library(ecosystem, name, version string) component {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(segment), "@", "%40")
	}
	address := "pkg:" + ecosystem + "/" + strings.Join(segments, "/") + "@" + url.PathEscape(version)
	return component{Ref: address, Type: "library", Name: name, Version: version, URL: address}
}

var bundledLine = regexp.MustCompile(`(?m)^(\S+) (\d\S*) \(([A-Za-z0-9.-]+)\)$`)

// bundled returns the packages that the licences of the program list with name, version and licence.
func bundled(licences []byte) (all []component) {
	for _, line := range bundledLine.FindAllStringSubmatch(string(licences), -1) {
		c := library("npm", line[1], line[2])
		c.Licences = make([]licence, 1)
		c.Licences[0].License.ID = line[3]
		all = append(all, c)
	}
	return all
}

// serial returns a UUID (version 8) that is the same for the same components.
func serial(refs []string) string {
	sum := sha256.Sum256([]byte(strings.Join(refs, "\n")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
