// Package profiled runs the program from the binary of a benchmark, and saves its CPU profiles.
package profiled

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"os"

	"imprimatur/app/command"
)

// Command is the first argument of a benchmark that starts itself as the program. The address of
// the profiles and the arguments of the program follow.
const Command = "program"

// Main runs the program and returns its exit code. It serves CPU profiles at the address
// profiles unless that is empty.
func Main(profiles string, args []string) int {
	if profiles != "" {
		mux := http.NewServeMux()
		mux.HandleFunc("/profile", pprof.Profile)
		go func() {
			err := http.ListenAndServe(profiles, mux) //nolint:gosec // a bench on loopback needs no timeouts
			fmt.Fprintln(os.Stderr, "profiles:", err)
		}()
	}
	return command.Main(append([]string{"imprimatur"}, args...))
}

// Save writes a CPU profile of the next seconds to path. address is the one given to Main.
func Save(ctx context.Context, address string, seconds int, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/profile?seconds=%d", address, seconds), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(file, response.Body)
	return err
}
