// Package webhook sends messages to webhooks, as Standard Webhooks specifies
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
package webhook
