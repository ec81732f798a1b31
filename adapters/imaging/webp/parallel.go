package webp

import (
	"runtime"
	"sync"
)

// runAll runs all functions concurrently and waits for them. It repeats a panic of any
// of them in the caller.
func runAll(work ...func()) {
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

// onProcessors runs work on all processors, but at most on the given number.
func onProcessors(most int, work func()) {
	shares := make([]func(), min(runtime.GOMAXPROCS(0), 4, most))
	for i := range shares {
		shares[i] = work
	}
	runAll(shares...)
}
