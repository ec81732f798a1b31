package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// entry is a file in an archive.
type entry struct {
	name    string
	mode    os.FileMode
	content []byte
}

// archive writes the archive of a platform: zip for Windows, else tar.
func (r *release) archive(platform, program string) error {
	entries, err := r.entries(platform, program)
	if err != nil {
		return err
	}
	name := "imprimatur_" + r.version + "_" + strings.ReplaceAll(platform, "/", "_")
	write, suffix := r.tar, ".tar.gz"
	if strings.HasPrefix(platform, "windows/") {
		write, suffix = r.zip, ".zip"
	}
	file, err := os.Create(filepath.Join(r.out, name+suffix))
	if err != nil {
		return err
	}
	return errors.Join(write(file, name+"/", entries), file.Close())
}

// entries returns the files of the archive of a platform.
func (r *release) entries(platform, program string) ([]entry, error) {
	entries := []entry{{name: "LICENCES.txt", mode: 0o644, content: r.licences}}
	sources := []string{program, filepath.Join(root, "LICENSE")}
	if strings.HasPrefix(platform, "linux/") {
		sources = append(sources, filepath.Join(root, "app/deploy/imprimatur.service"))
	}
	for _, source := range sources {
		content, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		e := entry{filepath.Base(source), 0o644, content}
		if source == program {
			e.mode = 0o755
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (r *release) tar(to io.Writer, folder string, entries []entry) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		header := &tar.Header{Name: folder + e.name, Mode: int64(e.mode), Size: int64(len(e.content)), ModTime: r.made, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

func (r *release) zip(to io.Writer, folder string, entries []entry) error {
	archive := zip.NewWriter(to)
	for _, e := range entries {
		header := &zip.FileHeader{Name: folder + e.name, Method: zip.Deflate, Modified: r.made}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
