package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"imprimatur/test/bench/load"
)

// cost is the processor time of the loader, of the program, and of its database server if any.
type cost struct {
	loader, program, database float64 // in seconds; in results of since, in cores
}

// spent returns the processor time used so far.
func (p *program) spent() cost {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	c := cost{
		loader:  time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds(),
		program: load.CPU(p.command.Process.Pid) / 1000,
	}
	if p.postmaster != 0 {
		c.database = load.CPU(p.postmaster) / 1000
	}
	return c
}

// since returns the average number of busy cores since before, elapsed ago.
func (c cost) since(before cost, elapsed time.Duration) cost {
	s := elapsed.Seconds()
	return cost{(c.loader - before.loader) / s, (c.program - before.program) / s, (c.database - before.database) / s}
}

func (c cost) String() string {
	text := fmt.Sprintf("cores: program %.2f", c.program)
	if c.database > 0 {
		text += fmt.Sprintf(", Postgres %.2f", c.database)
	}
	return text + fmt.Sprintf(", loader %.2f", c.loader)
}
