package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"imprimatur/test/bench/load"
)

// cost is processor time: of the loader itself, of the program, and of its database
// server, when it has one.
type cost struct {
	loader, program, database float64 // seconds; cores, in what since returns
}

// spent returns what was spent so far.
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

// since returns how many cores were kept busy since before, which was so long ago.
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
