package access

import (
	"context"
	"maps"
	"slices"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"imprimatur/core"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// SettingsChange changes the given members of a user's settings; null means the default. It is a type of its own
// because an empty text that is given is refused, while the empty text of core.Settings is the default, and because Notices
// has only the kinds that change.
type SettingsChange struct {
	Language core.Optional[string] // "en" or "de"
	TimeZone core.Optional[string] // IANA name
	Theme    *string               // "system", "light" or "dark"
	Notices  map[string]string     // by kind of notices: "now" to get e-mails, "never"
	Reach    *string               // "own", or "above" for core.Settings.ReachAbove
}

// UpdateSettings changes the actor's settings and returns them.
func (u *Users) UpdateSettings(ctx context.Context, actor core.Actor, change SettingsChange) (settings core.Settings, err error) {
	err = u.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, actor.UserID()); err != nil {
			return err
		}
		user, err := stores.Users.User(ctx, actor.UserID())
		if err != nil {
			return err
		}
		if settings, err = change.apply(user.Settings); err != nil || settings == user.Settings {
			return err
		}
		user.Settings = settings
		return stores.Users.Update(ctx, user)
	})
	return settings, err
}

// apply returns s with the change made, and an error if a value is invalid.
func (c SettingsChange) apply(s core.Settings) (core.Settings, error) {
	var wrong faults
	c.Language.AssignTo(&s.Language)
	if c.Language.Value != nil {
		wrong.choice("language", s.Language, "must be en, de or null", "en", "de")
	}
	c.TimeZone.AssignTo(&s.TimeZone)
	if c.TimeZone.Value != nil {
		wrong.timeZone(s.TimeZone)
	}
	if c.Theme != nil {
		s.Theme = *c.Theme
		wrong.choice("theme", s.Theme, "must be system, light or dark", "system", "light", "dark")
		if s.Theme == "system" {
			s.Theme = ""
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Notices)) {
		if !slices.Contains(notice.Kinds(), notice.Kind(kind)) {
			wrong.Add("notices."+core.Clip(kind), nil, "is not a kind of notices")
			continue
		}
		wrong.choice("notices."+kind, c.Notices[kind], "must be now or never", "now", "never")
		notice.SetMails(&s, notice.Kind(kind), c.Notices[kind] == "now")
	}
	if c.Reach != nil {
		wrong.choice("reach", *c.Reach, "must be own or above", "own", "above")
		s.ReachAbove = *c.Reach == "above"
	}
	return s, wrong.Err()
}

// choice checks that value is one of choices.
func (f *faults) choice(location, value, fault string, choices ...string) {
	if !slices.Contains(choices, value) {
		f.Add(location, core.Clip(value), fault)
	}
}

// timeZone checks the name of a time zone. time.LoadLocation also accepts "" and "Local".
func (f *faults) timeZone(name string) {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		f.Add("timeZone", core.Clip(name), "must be an IANA time zone like Europe/Berlin, or null")
	}
}
