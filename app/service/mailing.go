package service

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/mail"
	"imprimatur/app/config"
	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// mailingModule runs the worker that sends e-mails, if the settings have a server.
var mailingModule = fx.Module("mailing", fx.Provide(
	newMailSender,
	func(s mailSender) ports.MailSender { return s.MailSender },
), fx.Invoke(startMailing))

const (
	// mailInterval is how often a process looks for due mails.
	mailInterval = time.Second
)

// mailSender has none without a server of e-mails. mailbox is nil unless the process catches e-mails.
type mailSender struct {
	ports.MailSender
	mailbox *mail.Mailbox
}

// caughtFrom is the sender of e-mails that are not sent.
const caughtFrom = "Imprimatur <imprimatur@demo.example>"

// NewMailSender returns the sender of the settings of e-mail, which must be valid. base is the public
// address of the installation.
func NewMailSender(cfg config.Config, base string) (*mail.Sender, *mail.Writer, error) {
	from, err := mail.ParseFrom(cfg.MailFrom)
	if err != nil {
		return nil, nil, startFault("setting --mail-from: %v", err)
	}
	server, err := mail.ParseServer(cfg.SMTPURL)
	if err != nil {
		return nil, nil, startFault("setting --smtp-url: %v", err)
	}
	writer, err := mail.NewWriter(from, base)
	if err != nil {
		return nil, nil, startFault("setting --mail-from: %v", err)
	}
	return mail.NewSender(server, writer, nil), writer, nil
}

func newMailSender(lifecycle fx.Lifecycle, cfg config.Config, addresses *Addresses, log *zap.Logger) (mailSender, error) {
	switch {
	case !cfg.Mails():
		return mailSender{}, nil
	case cfg.SMTPURL == "":
		return catchMail(cfg, addresses.Public)
	}
	sender, _, err := NewMailSender(cfg, addresses.Public)
	if err != nil {
		return mailSender{}, err
	}
	if u, err := url.Parse(addresses.Public); err == nil && cfg.BaseURL == "" && !strings.HasPrefix(u.Hostname(), "127.") && u.Hostname() != "localhost" {
		log.Warn("links in e-mails lead to the address of the listener; set --base-url", zap.String("address", addresses.Public))
	}
	lifecycle.Append(fx.StopHook(sender.Close))
	return mailSender{MailSender: sender}, nil
}

func catchMail(cfg config.Config, base string) (mailSender, error) {
	from, err := mail.ParseFrom(cmp.Or(cfg.MailFrom, caughtFrom))
	if err != nil {
		return mailSender{}, startFault("setting --mail-from: %v", err)
	}
	writer, err := mail.NewWriter(from, base)
	if err != nil {
		return mailSender{}, startFault("setting --mail-from: %v", err)
	}
	box := mail.NewMailbox(writer)
	return mailSender{box, box}, nil
}

func startMailing(lifecycle fx.Lifecycle, log *zap.Logger, jobs *jobs, sender ports.MailSender, stores ports.Stores, post letter.Post, paused pauseCheck, invitations *identity.Invitations, registry *prometheus.Registry) {
	if sender == nil {
		return
	}
	mailer := delivery.NewMailer(stores, sender, post.Key)
	mailer.Invite = invitations.Again
	mailer.Barred = func(ctx context.Context, user *core.User) (bool, error) {
		return identity.ByProviderAlone(ctx, stores, user)
	}
	var work *loop
	work = newLoop(jobs, "e-mails", "e-mails are delayed", mailInterval, func(ctx context.Context) (bool, error) {
		if paused, err := paused(ctx); err != nil || paused {
			return false, err
		}
		_, err := mailer.Send(ctx, work.poke)
		return false, err
	})
	mailer.Observe = observeMails(registry, stores, log)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	lifecycle.Append(fx.StartStopHook(
		func() { running.Go(func() { work.run(ctx) }) },
		func() {
			cancel()
			running.Wait()
			mailer.Wait()
		},
	))
}

var (
	waitingMails = prometheus.NewDesc("imprimatur_mails_waiting", "E-mails of the whole installation that are not yet sent; -1 if the database is unavailable.", nil, nil)
	mailsAge     = prometheus.NewDesc("imprimatur_mails_age_seconds", "Age of the oldest e-mail that is not yet sent; 0 without one.", nil, nil)
)

// observeMails returns a function that counts attempts, and registers the length and age of the queue.
func observeMails(registry *prometheus.Registry, stores ports.Stores, log *zap.Logger) func(notice.Mail) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_mails_total",
		Help: "Attempts of this process to send an e-mail, by outcome: sent, failed (will be retried), parked or dropped (no longer concerns the user).",
	}, []string{"outcome"})
	for _, outcome := range []notice.MailStatus{notice.MailSent, notice.MailParked, notice.MailDropped, "failed"} {
		attempts.WithLabelValues(string(outcome)) // a rate needs the value 0 before the first attempt
	}
	registry.MustRegister(attempts, queues{stores, []queue{{waitingMails, mailsAge, stores.Mails.Backlog}}})
	failing := &failures{log: log}
	return func(m notice.Mail) {
		outcome := string(m.Status)
		switch m.Status {
		case notice.MailWaiting:
			outcome = "failed"
			failing.note(m.Fault)
		case notice.MailParked:
			log.Error("e-mail given up", zap.Int64("mail", m.ID), zap.Int("attempts", m.Attempts), zap.String("fault", m.Fault))
		case notice.MailSent:
			failing.note("")
		case notice.MailDropped:
		}
		attempts.WithLabelValues(outcome).Inc()
	}
}

// failures logs a fault when it begins, not each time.
type failures struct {
	log  *zap.Logger
	mu   sync.Mutex
	last string
}

func (f *failures) note(fault string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault != "" && fault != f.last {
		f.log.Warn("e-mail could not be sent, will be retried", zap.String("fault", fault))
	}
	f.last = fault
}
