// Package parallel runs the parts of one computation concurrently.
package parallel

import (
	"runtime"
	"sync"
)

// Run runs all functions concurrently and waits for them. It repeats a panic of any of them
// in the caller.
func Run(work ...func()) {
	var group sync.WaitGroup
	var once sync.Once
	var fault any
	for _, do := range work {
		group.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { fault = r })
				}
			}()
			do()
		})
	}
	group.Wait()
	if fault != nil {
		panic(fault)
	}
}

// Shares runs work concurrently for each share and waits for all. The number of shares is the
// number of processors, but at most 4 and at most most. It repeats a panic as Run does.
func Shares(most int, work func(share, shares int)) {
	shares := max(1, min(runtime.GOMAXPROCS(0), 4, most))
	all := make([]func(), shares)
	for i := range all {
		all[i] = func() { work(i, shares) }
	}
	Run(all...)
}
