// Command gen generates the GraphQL schema and its executor from the Go types in
// adapters/graphql/model. Run it in the module root:
//
//	go run ./adapters/graphql/gen          writes api/schema.graphqls and adapters/graphql/exec
//	go run ./adapters/graphql/gen -check   fails if these files are not up to date
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "compare with the existing files instead of writing them")
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

// compare returns an error unless the named file has this content.
func compare(name string, content []byte) error {
	existing, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(existing) != string(content) {
		return fmt.Errorf("%s is not up to date: run go run ./adapters/graphql/gen", name)
	}
	return nil
}
