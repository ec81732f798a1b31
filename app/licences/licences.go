// Package licences has the licences of the third-party works inside the program: Go modules, the packages in
// the bundles of the dashboard and of the readers of the APIs, and the data of the demo.
package licences

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the licences of the modules
	"fmt"
	"io"
	"strings"

	"imprimatur/adapters/dashboard"
	"imprimatur/adapters/graphql"
	"imprimatur/adapters/rest"
	"imprimatur/app/demo"
	"imprimatur/core/password"
)

// compressed is the gzip form of what modules returns. The task licences writes it.
//
//go:embed modules.txt.gz
var compressed []byte

// modules returns the licences of the Go modules and of Go itself: a list of modules with their versions, then the
// text that they share.
func modules() (string, error) {
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(reader)
	return string(text), err
}

// Write writes all licences to w.
func Write(w io.Writer) error {
	bundle, err := dashboard.Licences()
	if err != nil {
		return err
	}
	listed, err := modules()
	if err != nil {
		return err
	}
	countries, err := demo.Licences()
	if err != nil {
		return err
	}
	for _, section := range []struct{ title, text string }{
		{"Go modules", listed},
		{"Dashboard", bundle},
		{"GraphiQL and React", graphql.Licences()},
		{"Stoplight Elements", rest.Licences()},
		{"Countries of the demo", countries},
		{"Commonest passwords", password.Licences()},
	} {
		line := strings.Repeat("=", len(section.title))
		if _, err := fmt.Fprintf(w, "%s\n%s\n%s\n\n%s\n\n", line, section.title, line, strings.TrimSpace(section.text)); err != nil {
			return err
		}
	}
	return nil
}
