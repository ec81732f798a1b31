// Package redis implements ports.RateLimiter with budgets that all processes of an
// installation share. The service works without Redis: each process then limits by
// itself. Start with Limiter.Take; budget.lua is the algorithm.
package redis
