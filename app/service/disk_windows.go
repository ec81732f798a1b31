package service

import "golang.org/x/sys/windows"

// diskSpace returns the bytes of the file system of folder that are free for this user, and its size.
func diskSpace(folder string) (free, size uint64, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &size, nil)
	return free, size, err
}
