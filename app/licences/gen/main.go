// Command gen writes modules.txt.gz of package licences into the folder that the argument names: the licences of the
// Go modules that the program is built from on every platform of a release.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The platforms of a release.
var (
	systems    = []string{"linux", "darwin", "windows"}
	processors = []string{"amd64", "arm64"}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen folder")
		os.Exit(2)
	}
	text, err := generate()
	if err == nil {
		err = write(filepath.Join(os.Args[1], "modules.txt.gz"), text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the gzip form of text to a file. Equal texts have equal files.
func write(path string, text []byte) error {
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, compressed.Bytes(), 0o600)
}

// generate returns the licences.
func generate() ([]byte, error) {
	found := modules{}
	if err := found.addGo(); err != nil {
		return nil, err
	}
	for _, system := range systems {
		for _, processor := range processors {
			if err := found.add("GOOS="+system, "GOARCH="+processor); err != nil {
				return nil, err
			}
		}
	}
	return found.text()
}

// modules are the folders with licences by module and version.
type modules map[string][]string

// separator divides the fields of a line of go list.
const separator = "\t"

// addGo adds Go itself, whose library is in the program.
func (m modules) addGo() error {
	output, err := exec.CommandContext(context.Background(), "go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	m["Go "+strings.TrimPrefix(version, "go")] = []string{root}
	return nil
}

// add adds the modules that the program is built from in an environment.
func (m modules) add(environment ...string) error {
	list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-tags", "urfave_cli_no_template,grpcnotrace",
		"-f", `{{$dir := .Dir}}{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}`+separator+`{{.Dir}}`+separator+`{{$dir}}{{end}}{{end}}`, "imprimatur/app")
	list.Env = append(append(os.Environ(), "CGO_ENABLED=0"), environment...)
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Split(strings.TrimSpace(line), separator)
		if len(fields) != 3 {
			continue // a package of Go or of this module
		}
		name, root := fields[0], fields[1]
		for folder := fields[2]; ; folder = filepath.Dir(folder) {
			if !slices.Contains(m[name], folder) {
				m[name] = append(m[name], folder)
			}
			if len(folder) <= len(root) {
				break
			}
		}
	}
	return nil
}

// text returns the names of the modules that share a text, and the text, for each text.
func (m modules) text() ([]byte, error) {
	sharing := map[string][]string{}
	for name, folders := range m {
		text, err := licence(folders)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sharing[text] = append(sharing[text], name)
	}
	var sections []string
	for text, names := range sharing {
		slices.Sort(names)
		sections = append(sections, strings.Join(names, "\n")+"\n\n"+text+"\n")
	}
	slices.Sort(sections)
	return []byte(strings.Join(sections, "\n"+strings.Repeat("-", 80)+"\n\n")), nil
}

// licenceFile matches the names of files with licences and with notices that copies must keep.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// licence returns the texts in folders.
func licence(folders []string) (string, error) {
	var texts []string
	for _, folder := range slices.Sorted(slices.Values(folders)) {
		files, err := os.ReadDir(folder)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if file.IsDir() || !licenceFile.MatchString(file.Name()) || strings.HasSuffix(file.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				return "", err
			}
			if text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))); !slices.Contains(texts, string(text)) {
				texts = append(texts, string(text))
			}
		}
	}
	if len(texts) == 0 {
		return "", errors.New("no licence was found")
	}
	return strings.Join(texts, "\n\n"), nil
}
