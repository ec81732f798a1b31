// Package password implements ports.PasswordHasher with Argon2id. It limits the number of
// concurrent hashes, because each uses 64 MiB of memory.
package password
