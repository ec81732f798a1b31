package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/previewurl"
	"imprimatur/ports"
)

const (
	maxUploadLimit = 100 << 30 // bytes
	maxRevisions   = 1_000_000
	maxDays        = 36_500
	maxLocaleTag   = 35 // the length that RFC 5646, section 4.4.1, requires all software to support
)

// localeTag is the form of a BCP 47 tag: language with up to three extensions,
// script, region, variants, extensions, private use.
var localeTag = regexp.MustCompile(`(?i)^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?` +
	`(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$`)

// check returns the faults of p that it can find without a store.
func check(p *core.Project) faults {
	var wrong faults
	wrong.name(p.Name)
	wrong.locales(p.Locales)
	if p.LocaleNumber(p.DefaultLocale) < 0 {
		wrong.Add("defaultLocale", p.DefaultLocale, "must be one of locales")
	}
	wrong.fallbacks(p)
	if p.UploadLimit < 1 || p.UploadLimit > maxUploadLimit {
		wrong.Addf("uploadLimit", p.UploadLimit, "must be from 1 to %d bytes", int64(maxUploadLimit))
	}
	if p.RevisionLimit < 0 || p.RevisionLimit > maxRevisions {
		wrong.Addf("revisionLimit", p.RevisionLimit, "must be from 0 to %d; 0 keeps all", maxRevisions)
	}
	if p.PublicationDays < 0 || p.PublicationDays > maxDays {
		wrong.Addf("publicationDays", p.PublicationDays, "must be from 0 to %d; 0 keeps all", maxDays)
	}
	if p.SharedCache < 0 || p.SharedCache > MaxSharedCache {
		wrong.Addf("sharedCache", p.SharedCache, "must be from 0 to %d seconds", MaxSharedCache)
	}
	wrong.origins(p.AllowedOrigins)
	wrong.previewURL(p.PreviewURL)
	wrong.previewOrigins(p.PreviewOrigins)
	return wrong
}

func (f *faults) origins(origins []string) {
	if len(origins) > MaxAllowedOrigins {
		f.Addf("allowedOrigins", nil, "must have at most %d elements", MaxAllowedOrigins)
		return
	}
	for i, origin := range origins {
		location := fmt.Sprintf("allowedOrigins[%d]", i)
		switch {
		case origin != AnyOrigin && !previewurl.IsOrigin(origin):
			f.Add(location, nil, "must be * or an origin as browsers write it, like https://www.example.com or http://localhost:3000")
		case slices.Contains(origins[:i], origin):
			f.Add(location, origin, "is named twice")
		}
	}
}

func (f *faults) locales(locales []string) {
	if len(locales) < 1 || len(locales) > core.MaxLocales {
		f.Addf("locales", nil, "must have from 1 to %d elements", core.MaxLocales)
	}
	for i, tag := range locales {
		location := fmt.Sprintf("locales[%d]", i)
		same := func(other string) bool { return strings.EqualFold(other, tag) }
		switch {
		case len(tag) > maxLocaleTag || !localeTag.MatchString(tag):
			f.Add(location, nil, "must be a BCP 47 language tag")
		case slices.ContainsFunc(locales[:i], same):
			f.Add(location, tag, "is named twice")
		}
	}
}

// fallbacks checks that p.Fallbacks names only other locales of the Project, each once.
func (f *faults) fallbacks(p *core.Project) {
	for _, locale := range slices.Sorted(maps.Keys(p.Fallbacks)) {
		location := "fallbacks." + locale
		if p.LocaleNumber(locale) < 0 {
			f.Add(location, nil, "is not one of locales")
		}
		for i, to := range p.Fallbacks[locale] {
			at := fmt.Sprintf("%s[%d]", location, i)
			switch {
			case p.LocaleNumber(to) < 0:
				f.Add(at, to, "must be one of locales")
			case to == locale:
				f.Add(at, to, "must be another locale")
			case slices.Contains(p.Fallbacks[locale][:i], to):
				f.Add(at, to, "is named twice")
			}
		}
	}
}

// department checks that the Project's Department belongs to its tenant.
func (f *faults) department(ctx context.Context, departments ports.DepartmentStore, p *core.Project) error {
	if p.DepartmentID == 0 {
		return nil
	}
	department, err := departments.Department(ctx, p.DepartmentID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || department.TenantID != p.TenantID {
		f.Add("departmentId", p.DepartmentID, "must be a department of the project's tenant")
	}
	return nil
}
