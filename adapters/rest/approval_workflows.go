package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
)

func (a *API) registerWorkflows() {
	const (
		tag          = "Approval workflows"
		ofDepartment = "/api/departments/{departmentId}/approval-workflow"
		ofProject    = "/api/projects/{projectId}/approval-workflow"
		replaces     = "Replaces all steps. Open requests keep their steps. The response to invalid steps lists all errors. " +
			"If no workflow governed a Project before, readers of its published entries keep the present words of media, until a review approves others."
	)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofDepartment, ID: "getDepartmentWorkflow", Tag: tag, Action: access.ViewDepartmentWorkflow,
		Title: "Read a department's workflow", About: "Returns the workflow for Projects without a workflow of their own. The status is 404 if the department has none.",
		Example: newsroomWorkflow,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Workflow, error) {
		found, err := a.Workflows.Department(c.Context(), c.Place.Department)
		return wire.Shown(found, err, wire.WorkflowOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: ofDepartment, ID: "setDepartmentWorkflow", Tag: tag, Action: access.SetDepartmentWorkflow,
		Title: "Set a department's workflow", About: replaces, Sends: newsroomSteps, Example: newsroomWorkflow,
	}, func(c *endpoint.Call, in wire.WorkflowInput) (wire.Workflow, error) {
		found, err := a.Workflows.SetDepartment(c.Context(), c.Actor, c.Place.Department, in.Input())
		return wire.Shown(found, err, wire.WorkflowOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: ofDepartment, ID: "removeDepartmentWorkflow", Tag: tag, Action: access.SetDepartmentWorkflow,
		Title: "Remove a department's workflow", About: "Its Projects without a workflow of their own then publish without approval. Open requests continue. Readers of their entries see the words of media as the library has them.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Workflows.RemoveDepartment(c.Context(), c.Actor, c.Place.Department)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofProject, ID: "getProjectWorkflow", Tag: tag, Action: access.ViewProjectWorkflow,
		Title: "Read a project's own workflow", About: "Returns the workflow that replaces the workflow of the department. The status is 404 if the Project has none.",
		Example: investorWorkflow,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Workflow, error) {
		found, err := a.Workflows.Project(c.Context(), c.Project())
		return wire.Shown(found, err, wire.WorkflowOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: ofProject, ID: "setProjectWorkflow", Tag: tag, Action: access.SetProjectWorkflow,
		Title: "Set a project's own workflow", About: "It replaces the whole workflow of the department; steps are not merged. " + replaces,
		Sends: investorSteps, Example: investorWorkflow,
	}, func(c *endpoint.Call, in wire.WorkflowInput) (wire.Workflow, error) {
		found, err := a.Workflows.SetProject(c.Context(), c.Actor, c.Project(), in.Input())
		return wire.Shown(found, err, wire.WorkflowOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: ofProject, ID: "removeProjectWorkflow", Tag: tag, Action: access.SetProjectWorkflow,
		Title: "Remove a project's own workflow", About: "The workflow of the department, if any, then governs the Project again. Open requests continue. Without one, readers of entries see the words of media as the library has them.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Workflows.RemoveProject(c.Context(), c.Actor, c.Project())
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofProject + "/effective", ID: "getEffectiveWorkflow", Tag: tag, Action: access.ViewProjectWorkflow,
		Title: "Read the effective workflow of a project", About: "Returns the workflow of the Project, or that of its department, or none, with the reason. With entryId, unreachable and reasons of the steps are those of a request for the draft of that entry, if the caller submitted it now.",
		Query: []*endpoint.QueryParam{endpoint.IDParam("entryId", "The id of an entry of the Project.", 42)},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.EffectiveWorkflow, error) {
		found, err := a.effective(c, c.Positive("entryId"))
		return wire.Shown(found, err, wire.EffectiveWorkflowOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: ofProject + "/try", ID: "tryWorkflow", Tag: tag, Action: access.ReadContent, Status: http.StatusOK,
		Title: "Try a workflow", Sends: wire.TrialInput{EntryID: 42},
		About: "Returns who would have to decide the draft of an entry if the caller submitted it now, and changes nothing. With `workflow`, which takes the right to set that of the Project, it tries one that is not saved.",
	}, func(c *endpoint.Call, in wire.TrialInput) (wire.Trial, error) {
		if in.EntryID == 0 {
			return wire.Trial{}, core.Invalid(core.FieldError{Location: "entryId", Message: "is required"})
		}
		if in.EntryID < 1 {
			return wire.Trial{}, core.Invalid(core.FieldError{Location: "entryId", Message: "is no entry of the project", Value: in.EntryID})
		}
		e, err := a.Drafts.Stored(c.Context(), c.Project(), in.EntryID)
		if err != nil {
			return wire.Trial{}, err
		}
		var workflow *approval.WorkflowInput
		if in.Workflow != nil {
			workflow = new(in.Workflow.Input())
		}
		found, err := a.Workflows.Try(c.Context(), c.Actor, c.Project(), &e, workflow)
		return wire.Shown(found, err, wire.TrialOf)
	})
}

// effective returns the workflow that governs the Project, for the entry with that id unless it is 0.
func (a *API) effective(c *endpoint.Call, entryID int64) (approval.Effective, error) {
	if err := c.BadQuery(); err != nil {
		return approval.Effective{}, err
	}
	if entryID == 0 {
		return a.Workflows.Effective(c.Context(), c.Project())
	}
	e, err := a.Drafts.Stored(c.Context(), c.Project(), entryID)
	if err != nil {
		return approval.Effective{}, err
	}
	return a.Workflows.EffectiveFor(c.Context(), c.Actor, c.Project(), &e)
}
