package media_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// fullDisk is the plan of a process with a file system of its own.
const fullDisk = "on a full disk"

// TestFullDisk uploads to a file system of 8 MB.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := plan{Database: "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db"), Point: fullDisk}
	d := setup(t, p.Database, "mem://")
	p.ProjectID = d.project.ID
	disk := t.TempDir()
	p.Blobs = "file:" + disk
	code, output := inNamespace(t, p)
	require.Zero(t, code, output)
	require.Contains(t, output, "success")
}

// fillDisk mounts a small file system, fills it, and frees space again.
func fillDisk(ctx context.Context, p plan) error {
	disk := strings.TrimPrefix(p.Blobs, "file:")
	if err := mount(disk, "8m"); err != nil {
		return fmt.Errorf("mounting: %w", err)
	}
	d, closeAll, err := open(ctx, p.Database, p.Blobs)
	if err != nil {
		return err
	}
	defer closeAll() //nolint:errcheck // the process ends
	if d.project, err = d.Stores.Projects.Project(ctx, p.ProjectID); err != nil {
		return err
	}
	small, err := d.uploadOnce(ctx, picture(1))
	if err != nil {
		return err
	}
	large := io.MultiReader(strings.NewReader(mp4Header), io.LimitReader(zeros{}, 16<<20))
	if _, err := d.library().Receive(ctx, d.project, "a.mp4", large); core.KindOf(err) != core.KindStorageFull {
		return fmt.Errorf("uploading 16 MB to a disk of 8 MB: %w", err)
	}
	// The upload fits, and its link under the final name takes no further space.
	received, err := d.library().Receive(ctx, d.project, "a.mp4", io.MultiReader(strings.NewReader(mp4Header), io.LimitReader(zeros{}, 5<<20)))
	if err != nil {
		return err
	}
	if _, err := d.library().Keep(ctx, core.Actor{System: true}, d.project, received, media.Change{}); err != nil {
		return fmt.Errorf("storing 5 MB on a disk of 8 MB: %w", err)
	}
	// A process can start and read files on a full disk.
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		return err
	}
	if _, err := io.Copy(filler, zeros{}); err == nil {
		return fmt.Errorf("the disk did not become full")
	}
	again, closeAgain, err := open(ctx, p.Database, p.Blobs)
	if err != nil {
		return err
	}
	defer closeAgain() //nolint:errcheck // the process ends
	blob, err := again.Blobs.Open(ctx, small.Full)
	if err != nil {
		return err
	}
	if content, err := io.ReadAll(blob); err != nil || !bytes.Equal(content, picture(1)) {
		return fmt.Errorf("reading on a full disk: %w", err)
	}
	// Uploads succeed again when space is free.
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil { // an open file keeps its space
		return err
	}
	if _, err := d.uploadOnce(ctx, picture(2)); err != nil {
		return err
	}
	if _, err := d.sweeper().Sweep(ctx, 0); err != nil {
		return err
	}
	var left int
	err = d.Blobs.Walk(ctx, ports.UploadPrefix, func(ports.BlobInfo) error { left++; return nil })
	if err != nil || left > 0 {
		return fmt.Errorf("%d temporary uploads remain: %w", left, err)
	}
	fmt.Println("success")
	return nil
}
