package media

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"imprimatur/adapters/imaging"
	"imprimatur/core/rendition"
)

// work makes the renditions of one file, the given number of times concurrently, or the picture
// in another size a few times, and prints the cost of one. Time excludes start-up, memory
// includes it.
func work(ctx context.Context, o options) error {
	imager := imaging.New(imaging.Options{Wait: time.Hour})
	if o.width > 0 {
		return workSize(ctx, imager, o)
	}
	before, start := processorTime(), time.Now()
	total := make([]int, o.atOnce)
	group, ctx := errgroup.WithContext(ctx)
	for i := range o.atOnce {
		group.Go(func() error {
			file, err := os.Open(o.worker)
			if err != nil {
				return err
			}
			defer file.Close()
			p, err := imager.Renditions(ctx, file, o.mime)
			total[i] = len(p.Thumb.Bytes) + len(p.ThumbWebP.Bytes) + len(p.FullWebP.Bytes)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return report(cost{Wall: milliseconds(time.Since(start)), CPU: milliseconds(processorTime() - before), Bytes: total[0]})
}

// repeats is how often a picture is made in another size; see sharp.mjs.
const repeats = 5

func workSize(ctx context.Context, imager *imaging.Imager, o options) error {
	asked := rendition.Rendition{Width: o.width, Fit: rendition.FitInside, Format: rendition.Format(o.format), Quality: 75}
	before, start, bytes := processorTime(), time.Now(), 0
	for range repeats {
		file, err := os.Open(o.worker)
		if err != nil {
			return err
		}
		picture, err := imager.Render(ctx, file, o.mime, asked)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		bytes = len(picture)
	}
	return report(cost{Wall: milliseconds(time.Since(start)) / repeats, CPU: milliseconds(processorTime()-before) / repeats, Bytes: bytes})
}

func report(c cost) (err error) {
	if c.Peak, err = peakMegabytes(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func processorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakMegabytes reads the high-water mark of this process's resident memory.
func peakMegabytes() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, mark, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(mark)
	if len(fields) == 0 {
		return 0, fmt.Errorf("no VmHWM in /proc/self/status")
	}
	kilobytes, err := strconv.ParseFloat(string(fields[0]), 64)
	return kilobytes / 1024, err
}
