// Command app is Imprimatur, the whole program in one binary.
package main

import (
	"os"

	"imprimatur/app/command"
)

func main() { os.Exit(command.Main(os.Args)) }
