package webp

import (
	"runtime"
	"sync"
)

// together does all of the work at the same time, and returns when it is done. A
// panic in it comes out here.
func together(work ...func()) {
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

// onProcessors does the same work on as many processors as there are, but at most on
// so many.
func onProcessors(most int, work func()) {
	shares := make([]func(), min(runtime.GOMAXPROCS(0), 4, most))
	for i := range shares {
		shares[i] = work
	}
	together(shares...)
}
