// Package webhook has the receivers outside of the installation: webhooks, which events they want, and the deliveries
// of messages to them with their attempts.
//
// Package core/delivery makes deliveries from events, and adapters/webhook sends them.
package webhook
