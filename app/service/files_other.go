//go:build !unix

package service

import "math"

// openFiles returns how many files the process may have open at once.
func openFiles() uint64 { return math.MaxUint64 }
