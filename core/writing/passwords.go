package writing

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// checkFields checks and canonicalises each of in.Raw by c's definition and hashes passwords, and checks
// the names of in.Drop. It does not check the options that a draft need not meet. The faults of the values are in the
// result, not in the error. To tokens and assistants, hidden fields are unknown. A password that stored has
// already keeps the hash of stored, so that the write does not change it; stored is nil for a new
// entry.
func checkFields(
	ctx context.Context, hasher ports.PasswordHasher, actor core.Actor, c *core.Collection, in core.WrittenFields, stored core.Document,
) (core.WrittenFields, error) {
	known := func(f *core.Field) bool {
		return f != nil && (!f.Hidden || actor.Token == nil && actor.Assistant == nil)
	}
	fields := in.Raw
	in = core.WrittenFields{Raw: fields, Drop: in.Drop, Version: c.Version, Values: make(map[string]json.RawMessage, len(fields))}
	var found core.Faults
	for _, f := range c.Fields {
		if raw, named := fields[f.Name]; named && known(f) {
			value := validation.Canonical(f, raw, &found)
			in.Values[f.Name] = value
			in.Cleaned = append(in.Cleaned, validation.Removed(f, raw, value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !known(c.Field(name)) {
			found.Add(core.FieldLocation(core.Clip(name)), core.Shown(fields[name]), "no such field")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Drop)) {
		switch f := c.Field(name); {
		case !known(f):
			found.Add("drop."+core.Clip(name), nil, "no such field")
		case !f.Structured():
			found.Add("drop."+name, nil, "has no items")
		}
	}
	if in.Faults = found.List; len(in.Faults) > 0 {
		return in, nil // hashing is expensive, and nothing will be stored
	}
	return in, hashPasswords(ctx, hasher, c, in.Values, stored)
}

// hashPasswords replaces the passwords of values by their hashes, by those of stored where they match.
func hashPasswords(ctx context.Context, hasher ports.PasswordHasher, c *core.Collection, values map[string]json.RawMessage, stored core.Document) error {
	for _, f := range passwordsIn(c, values) {
		password := unquote(values[f.Name])
		kept, err := hashOf(ctx, hasher, password, stored, f)
		if err != nil {
			return err
		}
		if kept == nil {
			hash, err := hasher.Hash(ctx, password)
			if err != nil {
				return err
			}
			kept = canonical.Quote(hash)
		}
		values[f.Name] = kept
	}
	return nil
}

// keepHashes replaces the hashes of fields, the result of checkFields for a new entry, by those of
// stored that were made from the same passwords.
func keepHashes(ctx context.Context, hasher ports.PasswordHasher, c *core.Collection, fields core.WrittenFields, stored core.Document) error {
	if len(fields.Faults) > 0 {
		return nil // it has no hashes, and nothing will be stored
	}
	for _, f := range passwordsIn(c, fields.Values) {
		if bytes.Equal(fields.Values[f.Name], stored.Value(f.Name)) {
			continue
		}
		password, _ := fieldtype.Of(f.Type).Check(bytes.TrimSpace(fields.Raw[f.Name]))
		kept, err := hashOf(ctx, hasher, unquote(password), stored, f)
		if err != nil {
			return err
		}
		if kept != nil {
			fields.Values[f.Name] = kept
		}
	}
	return nil
}

// passwordsIn returns the password fields of c that have a value in values.
func passwordsIn(c *core.Collection, values map[string]json.RawMessage) (fields []*core.Field) {
	for _, f := range c.Fields {
		if values[f.Name] != nil && fieldtype.Of(f.Type).Secret {
			fields = append(fields, f)
		}
	}
	return fields
}

// hashOf returns the value of f in stored if it is a hash of password, and nil otherwise.
func hashOf(ctx context.Context, hasher ports.PasswordHasher, password string, stored core.Document, f *core.Field) (json.RawMessage, error) {
	value := stored.Value(f.Name)
	if value == nil {
		return nil, nil
	}
	matches, err := hasher.Matches(ctx, password, unquote(value))
	if err != nil || !matches {
		return nil, err
	}
	return value, nil
}

// unquote returns the value of a canonical JSON string, or "" for other JSON.
func unquote(raw json.RawMessage) string {
	text, _ := canonical.Unquote(raw)
	return text
}
