// Package secret has the secret key of an installation, from which a key is derived for each
// purpose. A copy of the database without the secret key reveals no private key, and does not
// allow to guess what was hashed. The main type is Key.
//
// To use the key for something new, add a Purpose.
package secret
