package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/demo"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/delivery"
	"imprimatur/ports"
)

const (
	// siteDir is the folder of the example site in a checkout of the source.
	siteDir = "api/examples/astro"
	// siteHost and sitePort are where the site is served; if another program uses the port, the next free one.
	siteHost, sitePort = "127.0.0.1", "4321"
)

// site is the example site beside the demo. A webhook of the World Desk tells it of changes.
type site struct {
	address string // host:port
	secret  string // of the webhook
	out     io.Writer
	running sync.WaitGroup
}

// newSite returns the site, or an error if it cannot be built here. It sets what the service needs for it.
func newSite(cfg *config.Config, out io.Writer) (*site, error) {
	if _, err := os.Stat(filepath.Join(siteDir, "package.json")); err != nil {
		return nil, fmt.Errorf("--with-site builds %s, which is not below the current folder: run it in a checkout of the source", siteDir)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return nil, errors.New("--with-site needs Node.js 20 or later with npm")
	}
	s := &site{address: service.NextFree(net.JoinHostPort(siteHost, sitePort)), out: out}
	cfg.WebhookAllow = append(slices.Clone(cfg.WebhookAllow), s.address)
	return s, nil
}

// previewed are the collections of which the site draws previews.
var previewed = []string{"articles", "pages"}

// connect has the World Desk show previews on the site, and tell it of what is published.
func (s *site) connect(ctx context.Context, cfg config.Config, facts demo.Facts) error {
	var webhooks *delivery.Webhooks
	var organisation *access.Organisation
	var collections *definition.Collections
	var stores ports.Stores
	stop, err := service.Use(ctx, cfg, &webhooks, &organisation, &collections, &stores)
	if err != nil {
		return err
	}
	defer stop()
	project, err := stores.Projects.ProjectByUUID(ctx, facts.Projects.WorldDesk.UUID)
	if err != nil {
		return err
	}
	if err := s.preview(ctx, organisation, collections, project); err != nil {
		return err
	}
	return s.hook(ctx, webhooks, project)
}

// preview lets the dashboard frame the site.
func (s *site) preview(ctx context.Context, organisation *access.Organisation, collections *definition.Collections, project *core.Project) error {
	origin := "http://" + s.address
	if !slices.Contains(project.PreviewOrigins, origin) {
		change := func(p *core.Project) { p.PreviewOrigins = append(slices.Clone(project.PreviewOrigins), origin) }
		if _, err := organisation.UpdateProject(ctx, core.SystemActor, project, false, change); err != nil {
			return err
		}
	}
	listed, err := collections.List(ctx, project)
	if err != nil {
		return err
	}
	for _, c := range listed {
		if !slices.Contains(previewed, c.Slug) {
			continue
		}
		by := definition.Change{Actor: core.SystemActor, Project: project, CollectionID: c.ID}
		change := func(in *definition.CollectionInput) {
			in.PreviewURL = origin + "/preview/" + c.Slug + "/{id}/?locale={locale}"
		}
		if _, err := collections.Update(ctx, by, change, nil); err != nil {
			return err
		}
	}
	return nil
}

// hook has the World Desk tell the site of what is published. A webhook of an earlier start gets the present address.
func (s *site) hook(ctx context.Context, webhooks *delivery.Webhooks, project *core.Project) error {
	listed, err := webhooks.List(ctx, project)
	if err != nil {
		return err
	}
	in := delivery.Change{
		Name: new("Example site"), URL: new("http://" + s.address + "/hooks/imprimatur"), Events: new([]string{"entry.*", "media.*"}),
		Coalesce: core.Some(delivery.Coalesce{Quiet: 1, Most: 10}),
	}
	at := slices.IndexFunc(listed, func(w delivery.ListedWebhook) bool { return w.Name == *in.Name })
	if at < 0 {
		_, s.secret, err = webhooks.Create(ctx, core.SystemActor, project, in)
		return err
	}
	if _, err := webhooks.Update(ctx, core.SystemActor, project, listed[at].ID, in); err != nil {
		return err
	}
	_, s.secret, err = webhooks.Rotate(ctx, core.SystemActor, project, listed[at].ID)
	return err
}

// start builds and serves the site until ctx ends, beside the service.
func (s *site) start(ctx context.Context, facts demo.Facts) {
	s.running.Go(func() {
		fmt.Fprintf(s.out, "The example site is built; then it is at http://%s\n", s.address)
		for _, args := range [][]string{{"npm", "ci", "--no-progress"}, {"npm", "run", "build"}, {"node", "server.mjs"}} {
			if err := s.run(ctx, facts, args); err != nil {
				if ctx.Err() == nil {
					fmt.Fprintf(s.out, "The example site: %v: %v\n", args, err)
				}
				return
			}
		}
	})
}

// wait waits until the site has stopped.
func (s *site) wait() { s.running.Wait() }

func (s *site) run(ctx context.Context, facts demo.Facts, args []string) error {
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir, command.Stdout, command.Stderr = siteDir, s.out, s.out
	command.Env = append(os.Environ(),
		"ASTRO_TELEMETRY_DISABLED=1", "HOST="+siteHost, "PORT="+port, "SITE_URL=http://"+s.address, "CMS_WEBHOOK_SECRET="+s.secret,
		"CMS_URL="+facts.BaseURL, "CMS_PROJECT="+facts.Projects.WorldDesk.UUID, "CMS_TOKEN="+facts.Tokens.WorldDesk.ReadOnly,
	)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 5 * time.Second
	return command.Run()
}
