// Package ratelimit implements ports.RateLimiter in memory, for a single process and as
// the fallback of package redis. Start with Local.Take.
package ratelimit
