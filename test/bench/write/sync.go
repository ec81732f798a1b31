package write

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// printSyncs measures the time to sync a page that is appended to a file in dir, as a commit does.
func printSyncs(w io.Writer, dir string) error {
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return err
	}
	defer file.Close()
	page := make([]byte, 4096)
	count, began := 0, time.Now()
	for ; time.Since(began) < time.Second; count++ {
		if _, err := file.Write(page); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "\nThe disk syncs a page %d times a second: %.2f ms each.\n", count, 1000*time.Since(began).Seconds()/float64(count))
	return err
}
