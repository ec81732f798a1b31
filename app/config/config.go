package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/mail"
	"imprimatur/core"
	"imprimatur/core/address"
	"imprimatur/core/assistant"
	"imprimatur/core/cachetag"
	"imprimatur/core/live"
	"imprimatur/core/secret"
)

// Config contains all settings of the service. Flags sets them from flags and the
// environment, Validate checks them.
type Config struct {
	DatabaseURL  string // sqlite:<path> or postgres://…
	BlobURL      string // file:<dir>, mem:// or s3://…
	RedisURL     string // redis://…, rediss://… or unix://…, for shared rate limits; may be empty
	BaseURL      string // public address of the service; empty: http:// and Listen
	MediaBaseURL string // public address of /files, such as a CDN; empty: BaseURL
	Listen       string // host:port of the public listener
	OpsListen    string // host:port of /livez, /readyz and /metrics
	OpsPprof     bool   // OpsListen also has profiles of the process
	OTLPEndpoint string // http:// or https:// URL of a collector of spans; empty: no spans
	SecretKey    string // 32 bytes in base64, or @ and the path of a file with them; may be empty on SQLite
	NoMigrate    bool
	Bulk         bool // no flag: the process only writes large amounts of data
	Existing     bool // no flag: the process creates and migrates nothing
	Bounded      bool // no flag: the memory of the process must not grow with the database
	Restoring    bool // no flag: the process restores the database
	// KeyFolder is the folder of the secret key while SecretKey is empty; no flag. Empty: the folder
	// of the SQLite database.
	KeyFolder string

	TrustedProxies string // networks of the load balancers, separated by commas; empty: none
	// WebhookAllow has the networks and host:port pairs inside that requests to addresses which users
	// give may reach.
	WebhookAllow []string
	OIDCAllow    []string // the same for requests to identity providers

	SMTPURL  string // smtp://user:password@host:587 or smtps://…; empty: no e-mail is sent
	MailFrom string // the sender of e-mails: an address, or a name and an address
	// Localhost calls a loopback listener localhost when there is no BaseURL; no flag.
	Localhost bool
	// CatchMail keeps e-mails in memory and shows them, unless SMTPURL names a server; no flag.
	CatchMail bool

	RateLimit int // requests per minute and token; 0: none
	// AssistantWrites and AssistantDrafts are the budgets of the assistants of each user; 0: none.
	AssistantWrites, AssistantDrafts int
	LiveLimit                        int           // connections of the process that listen to changes; 0: none
	ImageMemoryMB                    int           // megabytes for all pictures that are scaled at once; a picture that needs more is refused
	ReadCacheMB                      int           // megabytes of cached responses; 0: none
	SlowQuery                        time.Duration // reads that take longer are logged with their plan; 0: none
	StopDelay                        time.Duration // time for which a stopping process accepts requests while /readyz answers 503
	DrainTimeout                     time.Duration // time limit of a stop for running requests
	// EventRetention is the time for which events are kept; 0 keeps all.
	EventRetention time.Duration
	// CacheTags is the header by which shared caches drop responses, one of cachetag.Headers.
	CacheTags string

	LogLevel  string // debug, info, warn or error
	LogFormat string // json or console
}

// The largest values of settings.
const (
	maxRateLimit = 1_000_000 // as the rate limit of a token
	maxMB        = 1 << 20   // 1 TB
	maxStop      = 24 * time.Hour
)

// Default returns the default settings.
func Default() Config {
	return Config{
		DatabaseURL: "sqlite:var/imprimatur.db",
		BlobURL:     "file:var/blobs",
		Listen:      "127.0.0.1:8080",
		OpsListen:   "127.0.0.1:9090",
		RateLimit:   600,

		AssistantWrites: assistant.DefaultBudget.WritesPerMinute, AssistantDrafts: assistant.DefaultBudget.DraftsPerDay,

		LiveLimit:     live.DefaultLimit,
		ReadCacheMB:   32,
		ImageMemoryMB: 256,
		SlowQuery:     250 * time.Millisecond,
		DrainTimeout:  30 * time.Second,

		EventRetention: 400 * 24 * time.Hour,
		CacheTags:      string(cachetag.Off),
		LogLevel:       "info",
		LogFormat:      "json",
	}
}

// DatabaseFlags returns the flags of commands that only need the database.
func (c *Config) DatabaseFlags() []cli.Flag {
	return []cli.Flag{
		secretText("database-url", "database: sqlite:<path> or postgres://…", &c.DatabaseURL),
		secretText("redis-url", "server of rate limits shared by all processes: redis://…, rediss://… or unix://…", &c.RedisURL),
		text("log-level", "debug, info, warn or error", &c.LogLevel),
		text("log-format", "json or console", &c.LogFormat),
	}
}

// StorageFlags returns the flags of commands that need the database and the files.
func (c *Config) StorageFlags() []cli.Flag {
	return append(c.DatabaseFlags(),
		secretText("blob-url", "storage of media files: file:<dir>, mem:// or s3://<bucket>/<prefix>?region=…&endpoint=…", &c.BlobURL),
	)
}

// Flags returns the flags of the service. The environment variable of each is
// IMPRIMATUR_<NAME>.
func (c *Config) Flags() []cli.Flag {
	return append(c.StorageFlags(), append(c.ListenFlags(), c.SecretFlag(),
		&cli.BoolFlag{Name: "no-migrate", Usage: "do not apply migrations at start", Sources: env("no-migrate"), Destination: &c.NoMigrate},
	)...)
}

// ListenFlags returns the flags of the listeners and of request handling.
func (c *Config) ListenFlags() []cli.Flag {
	return append(c.MailFlags(),
		c.BaseFlag(),
		text("media-base-url", "public address of /files, such as a CDN", &c.MediaBaseURL),
		text("listen", "host:port to serve on", &c.Listen),
		text("ops-listen", "host:port of /livez, /readyz and /metrics", &c.OpsListen),
		&cli.BoolFlag{Name: "ops-pprof", Usage: "serve profiles of the process on the operations listener, at /debug/pprof/", Sources: env("ops-pprof"), Destination: &c.OpsPprof},
		text("otlp-endpoint", "collector that gets spans of requests, statements and deliveries by OTLP over HTTP: http://localhost:4318; empty records none", &c.OTLPEndpoint),
		text("trusted-proxies", "networks of the load balancers whose X-Forwarded-For, X-Request-Id and traceparent are trusted: 10.0.0.0/8,fd00::/8", &c.TrustedProxies),
		&cli.StringSliceFlag{
			Name: "webhook-allow", Usage: "networks or host:port inside that requests to addresses of users may reach, also with http: 10.0.0.0/8, hooks.internal:8080; repeatable",
			Sources: env("webhook-allow"), Destination: &c.WebhookAllow,
		},
		&cli.StringSliceFlag{
			Name: "oidc-allow", Usage: "networks or host:port inside that requests to identity providers may reach, also with http: 10.0.0.0/8, sso.internal:8080; repeatable",
			Sources: env("oidc-allow"), Destination: &c.OIDCAllow,
		},
		number("rate-limit", "requests per minute for a token without a limit of its own; 0 is no limit", &c.RateLimit),
		number("assistant-writes", "writes per minute of all assistants of a user; 0 is no limit", &c.AssistantWrites),
		number("assistant-drafts", "drafts per day that all assistants of a user write; 0 is no limit", &c.AssistantDrafts),
		number("live-limit", "connections that may listen to changes, of which each takes about 30 kB; 0 allows none", &c.LiveLimit),
		number("read-cache-mb", "megabytes of cached responses to reads, kept until something in their Project changes; 0 disables the cache", &c.ReadCacheMB),
		c.ImageFlag(),
		duration("stop-delay", "how long a stopping process accepts requests while /readyz answers 503, so that load balancers notice", &c.StopDelay),
		duration("slow-query", "log the plan of lists and totals that take longer; 0 logs none", &c.SlowQuery),
		duration("drain-timeout", "how long a stop waits for running requests", &c.DrainTimeout),
		duration("event-retention", "how long events are kept; 0 keeps all", &c.EventRetention),
		text("cache-tags", "header by which shared caches drop responses: off, "+core.Joined(cachetag.Headers[1:])+"; see app/docs/changes.md", &c.CacheTags),
	)
}

// BaseFlag returns the flag of commands that write links.
func (c *Config) BaseFlag() cli.Flag {
	return text("base-url", "public address of the service, when it is not the address of the listener", &c.BaseURL)
}

// MailFlags returns the flags of e-mail.
func (c *Config) MailFlags() []cli.Flag {
	return []cli.Flag{
		secretText("smtp-url", "server that sends e-mails: smtp://<user>:<password>@<host>:587 with STARTTLS, or smtps://…; ?tls=opportunistic allows connections without TLS; empty sends none", &c.SMTPURL),
		text("mail-from", "sender of e-mails: imprimatur@example.org or Imprimatur <imprimatur@example.org>", &c.MailFrom),
	}
}

// SecretFlag returns the flag of commands that need the secret key of the installation.
func (c *Config) SecretFlag() cli.Flag {
	return text("secret-key", "32 random bytes in base64, or @<file>, which protect stored private keys; on SQLite made beside the database", &c.SecretKey)
}

// ImageFlag returns the flag of commands that scale pictures.
func (c *Config) ImageFlag() cli.Flag {
	return number("image-memory-mb", "megabytes for all pictures that are scaled at once; a picture that needs more is refused", &c.ImageMemoryMB)
}

func text(name, usage string, value *string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: *value, Sources: env(name), Destination: value}
}

// secretText returns the flag of a text that may have a password, and may be @ and the path of a file
// with the text.
func secretText(name, usage string, value *string) cli.Flag {
	return &cli.StringFlag{
		Name: name, Usage: usage + ", or @<file>", Value: *value, Sources: env(name), Destination: value,
		Action: func(_ context.Context, _ *cli.Command, given string) error {
			path, named := strings.CutPrefix(given, "@")
			if !named {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("setting --%s: cannot read the file %s", name, path)
			}
			*value = strings.TrimSpace(string(content))
			return nil
		},
	}
}

// TokenFlag returns the flag of a token for requests to a running service.
func TokenFlag(value *string) cli.Flag {
	return secretText("token", "a token of the project, for --url", value)
}

func number(name, usage string, value *int) cli.Flag {
	return &cli.IntFlag{Name: name, Usage: usage, Value: *value, Sources: env(name), Destination: value}
}

func duration(name, usage string, value *time.Duration) cli.Flag {
	return &cli.DurationFlag{Name: name, Usage: usage, Value: *value, Sources: env(name), Destination: value}
}

func env(name string) cli.ValueSourceChain {
	return cli.EnvVars(prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}

// Validate returns an error with one sentence for each invalid setting.
func (c *Config) Validate() error {
	var errs []error
	if _, _, err := c.Database(); err != nil {
		errs = append(errs, fmt.Errorf("setting --database-url: %w", err))
	}
	_, badRedis := url.Parse(c.RedisURL)
	_, badProxies := c.Proxies()
	_, badAllowed := egress.ParseAllowed(c.WebhookAllow)
	_, badProviders := egress.ParseAllowed(c.OIDCAllow)
	errs = append(errs, c.mailFaults()...)
	for _, setting := range []struct {
		name  string
		valid bool
		rule  string
	}{
		{"blob-url", hasScheme(c.BlobURL, "file", "mem", "s3"), "must start with file:, mem:// or s3://"},
		{
			"redis-url", c.RedisURL == "" || badRedis == nil && hasScheme(c.RedisURL, "redis", "rediss", "unix"),
			"must be redis://<host>:<port>/<database>, rediss://… or unix://<path>",
		},
		{"secret-key", isSecret(c.SecretKey), "must be 32 bytes in base64, or @<file>"},
		{"base-url", isOrigin(c.BaseURL), "must be http:// or https:// and a host, without a path"},
		{"media-base-url", isOrigin(c.MediaBaseURL), "must be http:// or https:// and a host, without a path"},
		{"listen", isAddress(c.Listen), "must be host:port"},
		{"ops-listen", isAddress(c.OpsListen), "must be host:port"},
		{"otlp-endpoint", isCollector(c.OTLPEndpoint), "must be http:// or https://, a host and at most a path"},
		{"trusted-proxies", badProxies == nil, "must be networks joined by commas, like 10.0.0.0/8,fd00::/8"},
		{"webhook-allow", badAllowed == nil, "must be networks as 10.0.0.0/8 or host:port"},
		{"oidc-allow", badProviders == nil, "must be networks as 10.0.0.0/8 or host:port"},
		{"assistant-writes", c.AssistantWrites >= 0 && c.AssistantWrites <= maxRateLimit, fmt.Sprintf("must be from 0 to %d", maxRateLimit)},
		{"assistant-drafts", c.AssistantDrafts >= 0 && c.AssistantDrafts <= maxRateLimit, fmt.Sprintf("must be from 0 to %d", maxRateLimit)},
		{"rate-limit", c.RateLimit >= 0 && c.RateLimit <= maxRateLimit, fmt.Sprintf("must be from 0 to %d", maxRateLimit)},
		{"live-limit", c.LiveLimit >= 0 && c.LiveLimit <= maxRateLimit, fmt.Sprintf("must be from 0 to %d", maxRateLimit)},
		{"read-cache-mb", c.ReadCacheMB >= 0 && c.ReadCacheMB <= maxMB, fmt.Sprintf("must be from 0 to %d", maxMB)},
		{"image-memory-mb", c.ImageMemoryMB >= 16 && c.ImageMemoryMB <= maxMB, fmt.Sprintf("must be from 16 to %d", maxMB)},
		{"stop-delay", c.StopDelay >= 0 && c.StopDelay <= maxStop, fmt.Sprintf("must be from 0 to %s", maxStop)},
		{"slow-query", c.SlowQuery >= 0, "must not be negative"},
		{"drain-timeout", c.DrainTimeout >= 0 && c.DrainTimeout <= maxStop, fmt.Sprintf("must be from 0 to %s", maxStop)},
		{"event-retention", c.EventRetention >= 0, "must not be negative"},
		{"cache-tags", slices.Contains(cachetag.Headers, cachetag.Header(c.CacheTags)), "must be one of " + core.Joined(cachetag.Headers)},
		{"log-level", slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel), "must be debug, info, warn or error"},
		{"log-format", c.LogFormat == "json" || c.LogFormat == "console", "must be json or console"},
	} {
		if !setting.valid {
			errs = append(errs, fmt.Errorf("setting --%s: %s", setting.name, setting.rule))
		}
	}
	return errors.Join(errs...)
}

// Mails reports whether the installation sends e-mails, or catches them.
func (c *Config) Mails() bool { return c.SMTPURL != "" || c.CatchMail }

// mailFaults returns what is wrong with the settings of e-mail. It has nothing of SMTPURL, which has a
// password.
func (c *Config) mailFaults() (errs []error) {
	if c.SMTPURL != "" {
		if _, err := mail.ParseServer(c.SMTPURL); err != nil {
			errs = append(errs, fmt.Errorf("setting --smtp-url: %w", err))
		}
	}
	if c.MailFrom != "" {
		if _, err := mail.ParseFrom(c.MailFrom); err != nil {
			errs = append(errs, fmt.Errorf("setting --mail-from: %w", err))
		}
	} else if c.SMTPURL != "" {
		errs = append(errs, errors.New("setting --mail-from: is required with --smtp-url"))
	}
	return errs
}

// isSecret reports whether text is empty, a secret key or the name of a file.
func isSecret(text string) bool {
	_, err := secret.Parse(text)
	return err == nil || text == "" || len(text) > 1 && text[0] == '@'
}

// isOrigin reports whether text is empty or the URL of a server without a path.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return text == "" || err == nil && address.WebURL(text) && strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// isCollector reports whether text is empty or the URL of a collector, which needs no user.
func isCollector(text string) bool {
	u, err := url.Parse(text)
	return text == "" || err == nil && address.WebURL(text) && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

func isAddress(text string) bool {
	_, _, err := net.SplitHostPort(text)
	return err == nil
}

// Engine is a kind of database.
type Engine string

// The supported engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Database returns the engine that DatabaseURL names, and its location: a file
// path for SQLite, the URL for Postgres.
func (c *Config) Database() (Engine, string, error) {
	if path, ok := strings.CutPrefix(c.DatabaseURL, "sqlite:"); ok && strings.TrimPrefix(path, "//") != "" {
		return SQLite, strings.TrimPrefix(path, "//"), nil
	}
	if hasScheme(c.DatabaseURL, "postgres", "postgresql") {
		if _, err := url.Parse(c.DatabaseURL); err != nil {
			return "", "", errors.New("must be a valid URL")
		}
		return Postgres, c.DatabaseURL, nil
	}
	return "", "", errors.New("must be sqlite:<path> or postgres://…")
}

// Proxies returns the networks that TrustedProxies names.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	if c.TrustedProxies == "" {
		return nil, nil
	}
	var networks []netip.Prefix
	for name := range strings.SplitSeq(c.TrustedProxies, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

func hasScheme(address string, schemes ...string) bool {
	scheme, _, found := strings.Cut(address, ":")
	return found && slices.Contains(schemes, scheme)
}
