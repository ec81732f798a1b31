package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"imprimatur/app/config"
	"imprimatur/app/service"
)

// The whole service in a test: SQLite in a temporary folder, free ports, and no global state, so
// that many of them run at once.
func ExampleRun() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	cfg := config.Default()
	cfg.DatabaseURL = "sqlite:" + filepath.Join(folder, "test.db")
	cfg.Listen, cfg.OpsListen, cfg.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "error"

	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan service.Addresses, 1), make(chan error, 1)
	go func() { ended <- service.Run(ctx, cfg, func(a service.Addresses) { ready <- a }) }()
	at := <-ready

	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, url := range []string{at.Ops + "/readyz", at.Public + "/api/tenants"} {
		response, err := client.Get(url)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		fmt.Println(response.Status)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 OK
	// 401 Unauthorized
	// <nil>
}
