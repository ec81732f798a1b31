package rest

import (
	"net/http"

	"imprimatur/core/access"
	"imprimatur/core/approval"
)

// input returns in for the use case.
func (in workflowInput) input() approval.WorkflowInput {
	return approval.WorkflowInput{
		Steps:             each(in.Steps, func(s stepInput) approval.StepInput { return approval.StepInput(s) }),
		AllowSelfApproval: in.AllowSelfApproval,
	}
}

func (a *API) registerWorkflows() {
	const (
		tag          = "Approval workflows"
		ofDepartment = "/api/departments/{departmentId}/approval-workflow"
		ofProject    = "/api/projects/{projectId}/approval-workflow"
		replaces     = "Replaces all steps. Open requests keep their steps. The response to invalid steps lists all errors."
	)
	handle(a.set, operation{
		method: http.MethodGet, path: ofDepartment, id: "getDepartmentWorkflow", tag: tag, action: access.ViewDepartmentWorkflow,
		title: "Read a department's workflow", about: "Returns the workflow for Projects without a workflow of their own. The status is 404 if the department has none.",
		example: newsroomWorkflow,
	}, func(c *call, _ none) (workflow, error) {
		return shownWorkflow(a.Workflows.Department(c.ctx(), c.place.Department))
	})
	handle(a.set, operation{
		method: http.MethodPut, path: ofDepartment, id: "setDepartmentWorkflow", tag: tag, action: access.SetDepartmentWorkflow,
		title: "Set a department's workflow", about: replaces, sends: newsroomSteps, example: newsroomWorkflow,
	}, func(c *call, in workflowInput) (workflow, error) {
		return shownWorkflow(a.Workflows.SetDepartment(c.ctx(), c.actor, c.place.Department, in.input()))
	})
	handle(a.set, operation{
		method: http.MethodDelete, path: ofDepartment, id: "removeDepartmentWorkflow", tag: tag, action: access.SetDepartmentWorkflow,
		title: "Remove a department's workflow", about: "Its Projects without a workflow of their own then publish without approval. Open requests continue.",
	}, func(c *call, _ none) (none, error) {
		return none{}, a.Workflows.RemoveDepartment(c.ctx(), c.actor, c.place.Department)
	})
	handle(a.set, operation{
		method: http.MethodGet, path: ofProject, id: "getProjectWorkflow", tag: tag, action: access.ViewProjectWorkflow,
		title: "Read a project's own workflow", about: "Returns the workflow that replaces the workflow of the department. The status is 404 if the Project has none.",
		example: investorWorkflow,
	}, func(c *call, _ none) (workflow, error) {
		return shownWorkflow(a.Workflows.Project(c.ctx(), c.project()))
	})
	handle(a.set, operation{
		method: http.MethodPut, path: ofProject, id: "setProjectWorkflow", tag: tag, action: access.SetProjectWorkflow,
		title: "Set a project's own workflow", about: "It replaces the whole workflow of the department; steps are not merged. " + replaces,
		sends: investorSteps, example: investorWorkflow,
	}, func(c *call, in workflowInput) (workflow, error) {
		return shownWorkflow(a.Workflows.SetProject(c.ctx(), c.actor, c.project(), in.input()))
	})
	handle(a.set, operation{
		method: http.MethodDelete, path: ofProject, id: "removeProjectWorkflow", tag: tag, action: access.SetProjectWorkflow,
		title: "Remove a project's own workflow", about: "The workflow of the department, if any, then governs the Project again. Open requests continue.",
	}, func(c *call, _ none) (none, error) {
		return none{}, a.Workflows.RemoveProject(c.ctx(), c.actor, c.project())
	})
	handle(a.set, operation{
		method: http.MethodGet, path: ofProject + "/effective", id: "getEffectiveWorkflow", tag: tag, action: access.ViewProjectWorkflow,
		title: "Read the effective workflow of a project", about: "Returns the workflow of the Project, or that of its department, or none, with the reason.",
	}, func(c *call, _ none) (effectiveWorkflow, error) {
		found, err := a.Workflows.Effective(c.ctx(), c.project())
		if err != nil {
			return effectiveWorkflow{}, err
		}
		shown := effectiveWorkflow{Source: found.Source, Reason: found.Reason}
		if found.Workflow != nil {
			shown.Workflow.value = ptr(showWorkflow(found.Workflow))
		}
		return shown, nil
	})
}

func shownWorkflow(w *approval.WorkflowView, err error) (workflow, error) {
	if err != nil {
		return workflow{}, err
	}
	return showWorkflow(w), nil
}
