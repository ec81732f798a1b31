// Package checkout finds the files of the repository in tests.
package checkout

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder returns the folder of go.mod above the working directory.
func Folder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no go.mod above %s", folder)
}
