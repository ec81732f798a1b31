package service

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/dashboard"
	"imprimatur/adapters/files"
	"imprimatur/adapters/graphql"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/mcp"
	"imprimatur/adapters/rest"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/build"
	"imprimatur/app/config"
	"imprimatur/core/access"
	"imprimatur/core/assistant"
	"imprimatur/core/cachetag"
	"imprimatur/core/fileurl"
	"imprimatur/core/live"
	"imprimatur/core/media"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// httpModule provides the transports and runs the public and the operations server.
var httpModule = fx.Module("http",
	fx.Provide(
		listen,
		newCookies,
		newGateway,
		func(db *sqlstore.DB) httpx.Limiters { return httpx.NewLimiters(db.Capacity()) },
		newMetrics,
		newREST,
		newGraphQL,
		publicHandler,
	),
	fx.Invoke(serve),
)

// Limits of a connection.
const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 60 * time.Second
	idleTimeout    = 60 * time.Second
)

// Addresses are the URLs of the service, without a path.
type Addresses struct {
	Public string
	Ops    string
}

// listeners are bound before all other parts start, so that a port in use fails the start
// and all URLs contain the actual port of port 0.
type listeners struct {
	public, ops net.Listener
}

func listen(lifecycle fx.Lifecycle, cfg config.Config) (*listeners, *Addresses, error) {
	l, err := bindAll(cfg)
	if err != nil {
		return nil, nil, err
	}
	lifecycle.Append(fx.StopHook(l.close))
	base := strings.TrimSuffix(cfg.BaseURL, "/")
	if base == "" {
		base = "http://" + publicHost(l.public.Addr().String(), cfg.Localhost)
	}
	return l, &Addresses{Public: base, Ops: "http://" + l.ops.Addr().String()}, nil
}

// publicHost returns the host and port of a listener. With named, that of a loopback address has the name
// localhost: browsers use passkeys there, and not at an IP address.
func publicHost(address string, named bool) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !named || !at.Addr().IsLoopback() {
		return address
	}
	return "localhost:" + strconv.Itoa(int(at.Port()))
}

// CheckListen returns the error with which Run would fail because an address of cfg is in use.
func CheckListen(cfg config.Config) error {
	l, err := bindAll(cfg)
	if err != nil {
		return err
	}
	l.close()
	return nil
}

func bindAll(cfg config.Config) (*listeners, error) {
	public, err := bind("listen", cfg.Listen)
	if err != nil {
		return nil, err
	}
	ops, err := bind("ops-listen", cfg.OpsListen)
	if err != nil {
		_ = public.Close() // the first error is returned
		return nil, err
	}
	return &listeners{public, ops}, nil
}

// close closes both listeners. The servers close them too, unless the start failed before.
func (l *listeners) close() {
	_ = l.public.Close()
	_ = l.ops.Close()
}

func bind(setting, address string) (net.Listener, error) {
	var settings net.ListenConfig
	listener, err := settings.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, startFault("setting --%s: cannot listen on %s: %s", setting, address, listenCause(err))
	}
	return listener, nil
}

// listenCause returns what is wrong with an address, as the system says it.
func listenCause(err error) string {
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// freePorts is how many ports NextFree tries.
const freePorts = 100

// NextFree returns address, or address with the next port that is not in use. After freePorts
// ports in use, and for an address that is not host:port, it returns address.
func NextFree(address string) string {
	host, first, err := net.SplitHostPort(address)
	port, fault := strconv.Atoi(first)
	if err != nil || fault != nil {
		return address
	}
	for n := port; n < port+freePorts; n++ {
		next := net.JoinHostPort(host, strconv.Itoa(n))
		listener, err := bind("listen", next)
		if err == nil {
			_ = listener.Close() // it was only to try the port
			return next
		}
	}
	return address
}

func newCookies(addresses *Addresses) (httpx.Cookies, error) {
	base, err := url.Parse(addresses.Public)
	if err != nil {
		return httpx.Cookies{}, err
	}
	return httpx.NewCookies(base), nil
}

func newGateway(cfg config.Config, authenticator *access.Authenticator, limiter ports.RateLimiter, cookies httpx.Cookies) *httpx.Gateway {
	budget := httpx.DefaultBudget
	budget.Limit = cfg.RateLimit
	return httpx.NewGateway(authenticator, limiter, budget, cookies).
		WithAssistants(assistant.Budget{WritesPerMinute: cfg.AssistantWrites, DraftsPerDay: cfg.AssistantDrafts})
}

func newGraphQL(gateway *httpx.Gateway, authorizer *access.Authorizer, reader *reading.Reader, previews *reading.Previews, cache ports.ReadCache, stores ports.Stores, files fileurl.Base, limiters httpx.Limiters, tags *cachetag.Scheme) *graphql.Handler {
	return graphql.New(graphql.Deps{
		Gateway: gateway, Authorizer: authorizer, Reader: reader, Previews: previews, Media: stores.Media, Files: files, Cache: cache, Limiter: limiters.Reads, Tags: tags,
	})
}

// root is the handler of the public listener.
type root struct{ http.Handler }

func publicHandler(cfg config.Config, addresses *Addresses, log *zap.Logger, m *metrics, api *rest.API, graph *graphql.Handler, blobs ports.BlobStore, renditions *media.Renditions, fileBase fileurl.Base, mails mailSender, cookies httpx.Cookies, tracer ports.Tracer, gateway *httpx.Gateway, schemas ports.Schemas) (root, error) {
	proxies, err := cfg.Proxies()
	if err != nil {
		return root{}, err
	}
	handler := api.Handler()
	pages, err := dashboard.New(handler, cookies, fileBase, cfg.Mails())
	if err != nil {
		return root{}, err
	}
	assistants := mcp.New(mcp.Deps{Gateway: gateway, API: handler, Schemas: schemas, Version: build.Read().Version})
	addRoutes(api, files.New(blobs, renditions, api.Media.Moved), graph, pages, assistants)
	if mails.mailbox != nil {
		mails.mailbox.Register(api.Handle)
	}
	return root{httpx.Wrap(handler, httpx.Options{
		Logger:  log,
		Observe: m.observe,
		Tracer:  tracer,
		Secure:  strings.HasPrefix(addresses.Public, "https:"),
		Proxies: proxies,
	})}, nil
}

// serve runs both servers. On stop, first /readyz fails, then the public server completes
// the running requests, and the operations server stops last.
func serve(cfg config.Config, lifecycle fx.Lifecycle, shutdown fx.Shutdowner, log *zap.Logger, l *listeners, public root, hub *live.Hub, registry *prometheus.Registry, ready *readiness) {
	ops := newServer(newReservedListener(l.ops), opsHandler(registry, ready, cfg.OpsPprof), log)
	api := newServer(l.public, public, log)
	api.http.RegisterOnShutdown(hub.Close)
	lifecycle.Append(fx.StartStopHook(func() { ops.start(shutdown, log) }, func(ctx context.Context) error { return ops.stop(ctx, 0) }))
	lifecycle.Append(fx.StartStopHook(
		func() { api.start(shutdown, log) },
		func(ctx context.Context) error {
			ready.stopping.Store(true)
			return api.stop(ctx, cfg.StopDelay)
		},
	))
}
