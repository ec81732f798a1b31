package access

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// UpdateProject calls change with the present Project, stores what differs and returns the changed one. Only a tenant admin may move it to
// another Department, because the move changes permissions and the governing workflow. It returns
// core.KindConflict with the code in_use while the Project's own workflow or an open request has a
// step that the new Department does not allow, and core.KindConflict with the code governed when a
// change of locales or fallbacks requires acknowledged. Such a change counts at once where few
// entries are indexed. Elsewhere it counts when a back-fill has ended; see core.Project.Index.
func (o *Organisation) UpdateProject(
	ctx context.Context, actor core.Actor, project *core.Project, acknowledged bool, change func(*core.Project),
) (*core.Project, error) {
	var after *core.Project
	err := o.tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		before, err := stores.Projects.Project(ctx, project.ID)
		if err != nil {
			return err
		}
		after = new(*before)
		change(after)
		if err := checkChange(ctx, stores.Departments, stores.Collections, actor, before, after); err != nil {
			return err
		}
		if sameSettings(before, after) {
			after = before
			return nil
		}
		after.UpdatedAt = o.clock.Now()
		if err := publishing.Redefine(ctx, stores, core.Schema{Project: before}, core.Schema{Project: after}, acknowledged); err != nil {
			return err
		}
		if err := rechain(ctx, stores.Entries, before, after); err != nil {
			return err
		}
		if err := stores.Projects.Update(ctx, after); err != nil {
			return err
		}
		if after.DepartmentID != before.DepartmentID {
			if err := moveAllowed(ctx, stores.CustomRoles, stores.Requests, stores.Workflows, after); err != nil {
				return err
			}
			return publishing.Seal(ctx, stores, after.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// rechain changes after.Index if the fallbacks of after are others than those of before, and the index
// of the entries if it is small.
func rechain(ctx context.Context, entries ports.EntryUpkeep, before, after *core.Project) error {
	if core.SameChains(before, after) {
		return nil
	}
	few, err := entries.FewRows(ctx, after.ID, core.PortionRows)
	if err != nil {
		return err
	}
	if !few {
		return after.Rechain(before)
	}
	after.ChainAtOnce()
	_, err = entries.Serve(ctx, after, 0, core.PortionRows+1)
	return err
}

// sameSettings reports whether two states of a Project are equal. A list or map without elements
// equals nil.
func sameSettings(a, b *core.Project) bool {
	others := *b
	others.Locales, others.Fallbacks = a.Locales, a.Fallbacks
	others.AllowedOrigins, others.PreviewOrigins = a.AllowedOrigins, a.PreviewOrigins
	return slices.Equal(a.Locales, b.Locales) && slices.Equal(a.AllowedOrigins, b.AllowedOrigins) && slices.Equal(a.PreviewOrigins, b.PreviewOrigins) &&
		maps.EqualFunc(a.Fallbacks, b.Fallbacks, slices.Equal[[]string]) && reflect.DeepEqual(*a, others)
}

func checkChange(
	ctx context.Context, departments ports.DepartmentStore, collections ports.CollectionStore, actor core.Actor, before, after *core.Project,
) error {
	moved := before.DepartmentID != after.DepartmentID
	if moved && !actor.RoleIn(before.TenantID, 0, 0).Includes(core.RoleTenantAdmin) {
		return core.Forbidden("only %s moves a project to another department", roleTitles[core.RoleTenantAdmin])
	}
	wrong := check(after)
	if len(after.Locales) < len(before.Locales) || !slices.Equal(before.Locales, after.Locales[:len(before.Locales)]) {
		wrong.Addf("locales", after.Locales, "must begin with the present locales in their order: %v", before.Locales)
	}
	// An unchanged URL is not checked: it must not block other changes after its fields were
	// removed.
	if after.PreviewURL != before.PreviewURL && !wrong.Has("previewUrl") {
		if err := wrong.placeholders(ctx, collections, after); err != nil {
			return err
		}
	}
	if !slices.Equal(before.PreviewOrigins, after.PreviewOrigins) {
		if err := wrong.framedOrigins(ctx, collections, after); err != nil {
			return err
		}
	}
	if moved {
		if err := wrong.department(ctx, departments, after); err != nil {
			return err
		}
	}
	return wrong.Err()
}
