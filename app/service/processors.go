package service

import (
	"os"
	"runtime"

	"imprimatur/app/config"
)

// shareProcessors lets the kernel say whose turn it is where the database computes within
// this process, which is SQLite. Go lets what computes go on for 10 ms before anybody
// else's turn comes, also those whose answer takes a hundredth of it; the kernel prefers
// who has computed least. For that it has to have more threads than processors.
func shareProcessors(cfg config.Config) {
	engine, _, err := cfg.Database()
	if err == nil && engine != config.Postgres && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
}
