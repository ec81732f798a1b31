//go:build linux || darwin

package service

import "syscall"

// diskSpace returns the bytes of the file system of folder that are free for this user, and its size.
func diskSpace(folder string) (free, size uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:gosec // it is positive
	return s.Bavail * block, s.Blocks * block, nil
}
