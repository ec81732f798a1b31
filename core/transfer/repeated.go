package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strconv"

	"imprimatur/core"
)

// localized is an identity in one locale.
type localized struct {
	identity
	locale string
}

// entryIdentity returns the identity of the entry in one locale of what id identifies.
func entryIdentity(id identity, locale string) identity {
	return identity(maphash.Comparable(identitySeed, localized{id, locale}))
}

// memberIdentity returns the identity of the entry in one locale of a translation group.
func memberIdentity(group int64, locale string) identity {
	return entryIdentity(identityOf('i', strconv.FormatInt(group, 10)), locale)
}

// repeated returns the fault of a line that names an entry like an earlier line: it would overwrite
// that entry. overwrites finds entries that lines name in different ways.
func (r *importRun) repeated(l *line) *core.FieldError {
	if l.nameless {
		return nil
	}
	var entries []identity
	for i, locale := range append([]string{*l.write.Locale}, l.locales...) {
		tag := r.project.LocaleNamed(locale)
		for _, name := range []struct {
			location string
			id       identity
			value    any
		}{{"group", groupIdentity(l.group), core.Clip(l.group)}, {"key", keyIdentity(l.keys[i]), core.Shown(l.keys[i])}} {
			if name.id == 0 {
				continue
			}
			entry := entryIdentity(name.id, tag)
			if earlier, there := r.seen[entry]; there {
				message := fmt.Sprintf("line %d has the same %s in locale %s and would be overwritten", earlier, name.location, tag)
				return &core.FieldError{Location: name.location, Value: name.value, Message: message}
			}
			entries = append(entries, entry)
		}
	}
	for _, entry := range entries {
		r.seen[entry] = l.number
	}
	return nil
}

// overwrites returns the fault of a line that would overwrite an entry which another line has
// written under another name, or whose key names an entry that had this key until another line
// changed it. Without a fault, the known entries of the line count as written.
func (r *importRun) overwrites(ring *keyring, l *line, done *outcome) *core.Error {
	project := ring.schema.Project
	group, err := ring.own(l, localeOf(project, l.write.Locale))
	if err != nil {
		return nil //nolint:nilerr // writeLine refuses the line
	}
	var entries []identity
	for _, u := range l.units {
		locale := localeOf(project, u.write.Locale)
		entry, message := memberIdentity(group, locale), "line %d has written this entry in locale %s, which would be overwritten"
		switch {
		case group == 0 && l.group == "" && l.key != nil:
			entry, message = entryIdentity(keyIdentity(l.key), locale), "line %d has given another key to the entry with this key in locale %s"
		case group == 0:
			continue
		default:
			entries = append(entries, entry)
		}
		if earlier := r.writerOf(entry, done); earlier != 0 && earlier != l.number {
			f := core.FieldError{Location: "key", Value: core.Shown(l.key), Message: fmt.Sprintf(message, earlier, locale)}
			if l.group != "" {
				f.Location, f.Value = "group", core.Clip(l.group)
			}
			return core.Invalid(f)
		}
	}
	for _, entry := range entries {
		done.written[entry] = l.number
	}
	return nil
}

// writerOf returns the number of the line that has written the entry, or 0.
func (r *importRun) writerOf(entry identity, done *outcome) int64 {
	line := cmp.Or(done.written[entry], r.written[entry])
	if r.cycle != nil {
		line = cmp.Or(line, r.cycle.written[entry])
	}
	return line
}

// wrote records that a line has written e, which was before until then.
func (r *importRun) wrote(ring *keyring, line int64, before, e core.Entry, done *outcome) {
	done.written[memberIdentity(e.Group, e.Locale)] = line
	if r.key == nil || before.ID == 0 {
		return
	}
	if key := before.Draft.Value(r.key.Name); key != nil && !bytes.Equal(key, e.Draft.Value(r.key.Name)) {
		done.written[entryIdentity(keyIdentity(json.RawMessage(key)), e.Locale)] = line
		ring.remove(keyOf{r.collectionID, string(key)}, member{id: before.ID, group: before.Group, locale: before.Locale})
	}
}
