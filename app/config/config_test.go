package config

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
)

func TestDefaultIsValid(t *testing.T) {
	t.Parallel()
	cfg := Default()
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesEveryWrongSetting(t *testing.T) {
	t.Parallel()
	cfg := Config{
		DatabaseURL: "mysql://x", BlobURL: "ftp://x", RedisURL: "localhost:6379", SecretKey: "short", TrustedProxies: "10.0.0.1/8,all", WebhookAllow: []string{"10.0.0.0/8", "localhost"}, OIDCAllow: []string{"sso"}, SMTPURL: "smtp://relay/path", MailFrom: "x", BaseURL: "https://x/path", Listen: "x", OpsListen: "y", OTLPEndpoint: "localhost:4318",
		RateLimit: -1, AssistantWrites: -1, AssistantDrafts: -1, LiveLimit: -1, ReadCacheMB: -1, ImageMemoryMB: 1, StopDelay: -1, SlowQuery: -1, DrainTimeout: -1, EventRetention: -1, CacheTags: "on", LogLevel: "loud", LogFormat: "xml",
	}
	err := cfg.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"database-url", "blob-url", "redis-url", "secret-key", "base-url", "listen", "ops-listen", "otlp-endpoint", "trusted-proxies", "webhook-allow", "oidc-allow", "smtp-url", "mail-from", "rate-limit", "assistant-writes", "assistant-drafts", "live-limit", "read-cache-mb", "image-memory-mb", "stop-delay", "slow-query", "drain-timeout", "event-retention", "cache-tags", "log-level", "log-format"} {
		if !strings.Contains(err.Error(), "setting --"+name+": ") {
			t.Errorf("the error lacks %s: %v", name, err)
		}
	}
}

func TestMailSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, from, want string }{
		{"smtp://relay", "a@b", ""},
		{"smtps://u:p%40@[::1]:465", "Ada <a@b.example>", ""},
		{"smtp://u:secret@relay:25?tls=opportunistic", "a@b", ""},
		{"smtp://u:secret@relay", "", "setting --mail-from: is required with --smtp-url"},
		{"", "a", "setting --mail-from: must be an e-mail address, as imprimatur@example.org or Imprimatur <imprimatur@example.org>"},
		{"smtp://u:secret@relay?tls=none", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port>, at most with ?tls=opportunistic"},
		{"smtps://u:secret@relay?tls=opportunistic", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port>, at most with ?tls=opportunistic"},
		{"smtp://u:secret@relay:0", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
		{"smtp://u:secret@relay/box", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
		{"smtp://secret@relay", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
		{"smtp://u:secret%zz@relay", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
		{"https://u:secret@relay", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
		{"relay:25", "a@b", "setting --smtp-url: must be smtp://<user>:<password>@<host>:<port> or smtps://…"},
	} {
		cfg := Default()
		cfg.SMTPURL, cfg.MailFrom = c.url, c.from
		got := ""
		if err := cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.url, c.from, got, c.want)
		}
	}
}

// TestLargestValues checks the bounds above which a setting would overflow.
func TestLargestValues(t *testing.T) {
	t.Parallel()
	for setting, set := range map[string]func(c *Config, over int){
		"--rate-limit: must be from 0 to 1000000":       func(c *Config, over int) { c.RateLimit = 1_000_000 + over },
		"--assistant-writes: must be from 0 to 1000000": func(c *Config, over int) { c.AssistantWrites = 1_000_000 + over },
		"--assistant-drafts: must be from 0 to 1000000": func(c *Config, over int) { c.AssistantDrafts = 1_000_000 + over },
		"--live-limit: must be from 0 to 1000000":       func(c *Config, over int) { c.LiveLimit = 1_000_000 + over },
		"--read-cache-mb: must be from 0 to 1048576":    func(c *Config, over int) { c.ReadCacheMB = 1<<20 + over },
		"--image-memory-mb: must be from 16 to 1048576": func(c *Config, over int) { c.ImageMemoryMB = 1<<20 + over },
		"--stop-delay: must be from 0 to 24h0m0s":       func(c *Config, over int) { c.StopDelay = 24*time.Hour + time.Duration(over) },
		"--drain-timeout: must be from 0 to 24h0m0s":    func(c *Config, over int) { c.DrainTimeout = 24*time.Hour + time.Duration(over) },
	} {
		cfg := Default()
		set(&cfg, 0)
		if err := cfg.Validate(); err != nil {
			t.Errorf("the largest value is refused: %v", err)
		}
		set(&cfg, 1)
		if err := cfg.Validate(); err == nil || err.Error() != "setting "+setting {
			t.Errorf("%v, want %s", err, setting)
		}
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		engine Engine
		rest   string
		fails  bool
	}{
		"sqlite:var/x.db":         {SQLite, "var/x.db", false},
		"sqlite:/var/x.db":        {SQLite, "/var/x.db", false},
		"sqlite:///var/x.db":      {SQLite, "/var/x.db", false},
		"postgres://a@b/c":        {Postgres, "postgres://a@b/c", false},
		"postgresql://a@b/c":      {Postgres, "postgresql://a@b/c", false},
		"sqlite:":                 {fails: true},
		"var/x.db":                {fails: true},
		"":                        {fails: true},
		"postgres://a:b c@d:e/%%": {fails: true},
	} {
		cfg := Config{DatabaseURL: address}
		engine, rest, err := cfg.Database()
		if engine != want.engine || rest != want.rest || (err != nil) != want.fails {
			t.Errorf("%q: %s %q %v", address, engine, rest, err)
		}
		if err != nil && strings.Contains(err.Error(), "a:b c") {
			t.Errorf("the error contains the address with its password: %v", err)
		}
	}
}

// TestFlagsReadTheEnvironment checks that a flag overrides the environment, and the
// environment overrides the default.
func TestFlagsReadTheEnvironment(t *testing.T) {
	t.Setenv("IMPRIMATUR_DATABASE_URL", "sqlite:from-env.db")
	t.Setenv("IMPRIMATUR_OPS_LISTEN", "127.0.0.1:1")
	cfg := Default()
	command := &cli.Command{Flags: cfg.Flags(), Action: func(context.Context, *cli.Command) error { return nil }}
	if err := command.Run(t.Context(), []string{"x", "--ops-listen", "127.0.0.1:2"}); err != nil {
		t.Fatal(err)
	}
	if cfg.DatabaseURL != "sqlite:from-env.db" || cfg.OpsListen != "127.0.0.1:2" || cfg.Listen != Default().Listen {
		t.Errorf("%+v", cfg)
	}
}
