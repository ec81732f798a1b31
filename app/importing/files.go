package importing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"imprimatur/app/scratch"
	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// Limits of the files of an import.
const (
	maxFiles     = 100_000
	filesAtOnce  = 4
	maxFileShown = 2000 // characters of a caption
)

// loader adds files to the library of a project.
type loader struct {
	library ports.MediaStore
	media   *media.Library
	fetcher ports.Fetcher
	actor   core.Actor
	project *core.Project
	dry     bool
	rewrite bool          // also the words that a person has changed here
	timeout time.Duration // of one file

	mutex  sync.Mutex
	found  map[string]FileRef
	copies map[string][]described // by hash
	taken  map[string]*sync.Mutex // by hash
	report *Report
	seen   func(files int64)
}

// load adds the files of a content. Files with the same bytes are one item of the library.
func (l *loader) load(ctx context.Context, content Content) error {
	workers, limited := errgroup.WithContext(ctx)
	workers.SetLimit(filesAtOnce)
	err := content.Files(ctx, func(f File) error {
		if err := l.count(f); err != nil {
			return err
		}
		number := l.report.Files.In // only this goroutine changes it
		workers.Go(func() error { return l.one(limited, f, number) })
		return limited.Err()
	})
	if err := errors.Join(workers.Wait(), err); err != nil {
		return err
	}
	return l.describe(ctx)
}

// count counts a file that comes in.
func (l *loader) count(f File) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.report.Files.In++; l.report.Files.In > maxFiles {
		return fmt.Errorf("the content has more than %d files", maxFiles)
	}
	l.seen(l.report.Files.In)
	if utf8.RuneCountInString(f.Caption) > maxFileShown {
		f.Lost = append(f.Lost, Lost{
			Origin: f.Origin, What: LostPart, Reason: fmt.Sprintf("its caption is longer than %d characters: it ends there", maxFileShown), Value: canonical.Quote(f.Caption),
		})
	}
	for _, row := range f.Lost {
		if err := l.report.lose(row); err != nil {
			return err
		}
	}
	return nil
}

// one adds a file, or its row to the report.
func (l *loader) one(ctx context.Context, f File, number int64) error {
	ref, reason, err := l.add(ctx, f)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if reason == "" {
		l.found[f.ID] = ref
		if !l.dry {
			l.copies[ref.Hash] = append(l.copies[ref.Hash], described{number, f.Origin, ref.FileName, f.details()})
		}
		l.report.Files.Out++
		return nil
	}
	l.report.Files.Listed++
	value := f.URL
	if value == "" {
		value = f.ID
	}
	return l.report.lose(Lost{Origin: f.Origin, What: LostFile, Reason: reason, Value: canonical.Quote(value)})
}

// add adds a file, and returns the reason if it cannot be added. The error ends the import.
func (l *loader) add(ctx context.Context, f File) (ref FileRef, reason string, err error) {
	if l.dry {
		return l.look(f)
	}
	limited, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	name, bytes, err := l.open(limited, f)
	if err != nil {
		return ref, l.reason(ctx, limited, err), ctx.Err()
	}
	defer func() { _ = bytes.Close() }() // it is read only
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(bytes, l.project.UploadLimit+1)); err != nil {
		return ref, l.reason(ctx, limited, err), ctx.Err()
	}
	ref = FileRef{Hash: hex.EncodeToString(hash.Sum(nil)), FileName: name}
	alone := l.alone(ref.Hash)
	alone.Lock()
	defer alone.Unlock()
	items, err := l.library.MediaByHash(ctx, l.project.ID, []string{ref.Hash})
	if err != nil || len(items) > 0 {
		return ref, "", err
	}
	if _, err := bytes.Seek(0, io.SeekStart); err != nil {
		return ref, "", err
	}
	received, err := l.media.Receive(ctx, l.project, name, bytes)
	if err != nil {
		return l.refused(ctx, err)
	}
	defer received.Discard(ctx)
	_, err = l.media.Keep(ctx, l.actor, l.project, received, f.details())
	if core.KindOf(err) == core.KindInvalid { // of its description
		_, err = l.media.Keep(ctx, l.actor, l.project, received, media.Change{Imported: true})
	}
	if err != nil {
		return l.refused(ctx, err)
	}
	return ref, "", nil
}

// refused returns the reason of an error of the file, or an error that ends the import.
func (l *loader) refused(ctx context.Context, err error) (FileRef, string, error) {
	if core.KindOf(err) == core.KindInternal || ctx.Err() != nil {
		return FileRef{}, "", err
	}
	return FileRef{}, l.reason(ctx, ctx, err), nil
}

// look returns whether a file is there, in a dry run.
func (l *loader) look(f File) (FileRef, string, error) {
	if f.Open == nil {
		return FileRef{FileName: f.Name}, "", nil
	}
	file, err := f.Open()
	if err != nil {
		return FileRef{}, fault(err), nil
	}
	return FileRef{FileName: f.Name}, "", file.Close()
}

// details returns what the library says about a file.
func (f File) details() media.Change {
	caption := []rune(f.Caption)
	text := string(caption[:min(len(caption), maxFileShown)])
	return media.Change{Caption: &text, Alt: &f.Alt, Folder: &f.Folder, Tags: &f.Tags, Imported: true}
}

// alone returns the lock of a hash.
func (l *loader) alone(hash string) *sync.Mutex {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.taken[hash] == nil {
		l.taken[hash] = &sync.Mutex{}
	}
	return l.taken[hash]
}

// open returns the bytes of a file, those of an address in a file that disappears with the process.
func (l *loader) open(ctx context.Context, f File) (name string, bytes io.ReadSeekCloser, err error) {
	var source io.ReadCloser
	if f.Open != nil {
		source, err = f.Open()
	} else {
		name, source, err = l.fetcher.Fetch(ctx, f.URL)
	}
	if err != nil {
		return "", nil, err
	}
	if f.Name != "" {
		name = f.Name
	}
	if seeker, ok := source.(io.ReadSeekCloser); ok {
		return name, seeker, nil
	}
	defer func() { _ = source.Close() }() // it is read only
	file, err := scratch.New("imprimatur-file-")
	if err != nil {
		return "", nil, err
	}
	_, err = io.Copy(file, io.LimitReader(source, l.project.UploadLimit+1))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", nil, errors.Join(err, file.Close())
	}
	return name, file, nil
}

// reason says why a file cannot be added.
func (l *loader) reason(ctx, limited context.Context, err error) string {
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("cannot be loaded within %v s", l.timeout.Seconds())
	}
	return fault(err)
}

// fault returns the message of an error in words for users.
func fault(err error) string {
	e, ok := errors.AsType[*core.Error](err)
	switch {
	case !ok && errors.Is(err, os.ErrNotExist):
		return "there is no such file"
	case !ok:
		return err.Error()
	case len(e.Fields) > 0:
		return e.Fields[0].Message
	default:
		return e.Message
	}
}
