package media_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// planVariable is the environment variable with the plan of a child process.
const planVariable = "TEST_MEDIA_PLAN"

// plan is one upload, or the deletion of an item, and the point at which the child process
// kills itself.
type plan struct {
	Database, Blobs string
	ProjectID       int64
	Point           string
	Content         []byte
	Delete          int64
}

// points maps the points of a kill to the change of the number of items.
var points = map[string]int{
	"during the upload":             0,
	"after the original":            0,
	"before the names are reserved": 0,
	"between the renditions":        0,
	"before the item is committed":  0,
	"after the item was committed":  1,
	"after a deletion":              -1,
	"before a deletion frees bytes": -1,
}

// TestKill kills a process ten times at each point, and sweeps after each.
func TestKill(t *testing.T) {
	t.Parallel()
	for name, database := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for point, change := range points {
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					p := plan{Database: database(t), Blobs: "file:" + t.TempDir(), Point: point}
					d := setup(t, p.Database, p.Blobs)
					p.ProjectID = d.project.ID
					for round := range 10 {
						p.round(t, d, round, change)
					}
				})
			}
		})
	}
}

func (p plan) round(t *testing.T, d *fixture, round, change int) {
	t.Helper()
	// In every other round another item has the same bytes.
	p.Content = picture(round)
	if round%2 == 0 {
		_, err := d.upload(t.Context(), p.Content)
		require.NoError(t, err)
	}
	if change < 0 {
		item, err := d.upload(t.Context(), p.Content)
		require.NoError(t, err)
		p.Delete = item.ID
	}
	before := len(d.items(t))
	p.kill(t)
	require.Len(t, d.items(t), before+change)
	d.wantBlobs(t)
	d.sweep(t)
	require.Equal(t, len(d.names(t)), files(t, p.Blobs[len("file:"):]))
}

// kill runs the plan in a child process and requires that SIGKILL ended it.
func (p plan) kill(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), planVariable+"="+string(text))
	output, err := child.CombinedOutput()
	var ended *exec.ExitError
	require.ErrorAs(t, err, &ended, "%s: the process was not killed\n%s", p.Point, output)
	status, ok := ended.Sys().(syscall.WaitStatus)
	require.True(t, ok && status.Signaled() && status.Signal() == syscall.SIGKILL, "%s: %v\n%s", p.Point, err, output)
}

// runPlan is the child process.
func runPlan(text string) (code int) {
	var p plan
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.run(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func (p plan) run(ctx context.Context) error {
	switch p.Point {
	case fullDisk:
		return fillDisk(ctx, p)
	case largePlan:
		return makeLarge(ctx, p)
	}
	d, closeAll, err := open(ctx, p.Database, p.Blobs)
	if err != nil {
		return err
	}
	if d.project, err = d.Stores.Projects.Project(ctx, p.ProjectID); err != nil {
		return err
	}
	d.Blobs, d.Tx = &killingBlobs{BlobStore: d.Blobs, point: p.Point}, &killingTx{Tx: d.Tx, point: p.Point}
	if p.Delete != 0 {
		err = d.library().Delete(ctx, core.Actor{System: true}, d.project, p.Delete, false)
	} else {
		err = p.upload(ctx, d)
	}
	return errors.Join(err, closeAll())
}

func (p plan) upload(ctx context.Context, d *fixture) error {
	source := io.Reader(bytes.NewReader(p.Content))
	if p.Point == "during the upload" {
		// Large enough that a part of it has been written.
		source = io.MultiReader(source, io.LimitReader(zeros{}, 1<<20), dead{})
	}
	received, err := d.library().Receive(ctx, d.project, "a.png", source)
	if err != nil {
		return err
	}
	_, err = d.library().Keep(ctx, core.Actor{System: true}, d.project, received, media.Change{})
	return err
}

// die sends SIGKILL to the own process.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // the process ends here
	select {}
}

// dead is a reader that kills the process.
type dead struct{}

func (dead) Read([]byte) (int, error) { die(); return 0, io.EOF }

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// killingBlobs is a blob store that kills the process.
type killingBlobs struct {
	ports.BlobStore
	point  string
	stored int
}

func (b *killingBlobs) Create(ctx context.Context, name string, source io.Reader) error {
	err := b.BlobStore.Create(ctx, name, source)
	b.stored++
	if b.point == "after the original" || b.stored == 2 && b.point == "between the renditions" {
		die()
	}
	return err
}

func (b *killingBlobs) Exists(ctx context.Context, name string) (bool, error) {
	there, err := b.BlobStore.Exists(ctx, name)
	if there && (b.point == "between the renditions" || b.point == "after the original") {
		die() // existing blobs are not stored again
	}
	return there, err
}

// killingTx kills the process in a transaction.
type killingTx struct {
	ports.Tx
	point string
	done  int
}

func (x *killingTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	err := x.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		err := do(ctx, stores)
		if x.point == "before the names are reserved" || x.point == "before the item is committed" && x.done == 1 || x.point == "before a deletion frees bytes" && x.done == 1 {
			die()
		}
		return err
	})
	if x.done++; x.point == "after the item was committed" && x.done == 2 || x.point == "after a deletion" {
		die()
	}
	return err
}
