// Command gen makes the GraphQL schema and the code that executes it from the Go
// types in adapters/graphql/model:
//
//	go run ./adapters/graphql/gen          writes api/schema.graphqls and adapters/graphql/exec
//	go run ./adapters/graphql/gen -check   fails when the generated files are out of date
//
// It is run in the module's root.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "compare with the files that are there instead of writing them")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	files, err := generate(".")
	if err != nil {
		return err
	}
	for name, content := range files {
		if check {
			err = compare(name, content)
		} else {
			err = os.WriteFile(name, content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare reports that the file of that name does not hold content.
func compare(name string, content []byte) error {
	there, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(there) != string(content) {
		return fmt.Errorf("%s is stale: run go run ./adapters/graphql/gen", name)
	}
	return nil
}
