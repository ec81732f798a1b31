// Command app is the imprimatur program.
package main

import (
	"os"

	"imprimatur/app/command"
)

func main() { os.Exit(command.Main(os.Args)) }
