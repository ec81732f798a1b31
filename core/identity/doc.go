// Package identity signs people in: with a password, and ends their sessions. The main types are
// Sessions and Passwords.
package identity
