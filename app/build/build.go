// Package build says what the running program was built from.
package build

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"imprimatur/adapters/sqlite"
)

// version and commit are set by the linker: -X imprimatur/app/build.version=1.0.0.
var version, commit string

// Info is what the program was built from.
type Info struct {
	Version string // "1.0.0", or "development"
	Commit  string // revision of the source, followed by "-modified" if files differed; or "unknown"
	Go      string // "go1.26.8"
	Schema  string // the last migration: "0001_baseline"
}

// Read returns the Info of this program.
func Read() Info {
	info := Info{Version: cmp.Or(version, "development"), Commit: "unknown", Schema: sqlite.Schema()}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Go = built.GoVersion
	settings := map[string]string{}
	for _, s := range built.Settings {
		settings[s.Key] = s.Value
	}
	info.Commit = cmp.Or(commit, settings["vcs.revision"], info.Commit)
	if commit == "" && settings["vcs.modified"] == "true" {
		info.Commit += "-modified"
	}
	return info
}

// String returns Info as one line.
func (i Info) String() string {
	return fmt.Sprintf("imprimatur %s (commit %s, %s, schema %s)", i.Version, i.Commit, i.Go, i.Schema)
}
