package endpoint

import (
	"net/http"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/access"
)

// UnknownID is an id that no resource has.
const UnknownID = -1

// PathTarget returns the target that the path identifies. A malformed id becomes UnknownID, so
// that the response is the same as for an id that does not exist.
func PathTarget(r *http.Request) access.Target {
	return access.Target{
		TenantID:     pathID(r, "tenantId"),
		DepartmentID: pathID(r, "departmentId"),
		ProjectID:    pathID(r, "projectId"),
		ProjectUUID:  r.PathValue("projectUuid"),
	}
}

// pathID returns an id in the path: digits without sign or leading zeros. It returns 0 if the
// path has no such parameter, and UnknownID for a malformed id.
func pathID(r *http.Request, name string) int64 {
	text := r.PathValue(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || text[0] == '0' || text[0] == '+' {
		return UnknownID
	}
	return id
}

// ID returns the id in the path parameter name. It is well formed, because checkIDs precedes the
// function of the operation.
func (c *Call) ID(name string) int64 { return pathID(c.Request, name) }

// checkIDs returns KindNotFound if an id in the path is malformed.
func (c *Call) checkIDs() error {
	for _, name := range c.op.ids {
		if c.ID(name) == UnknownID {
			return core.NotFound(pathParams[name].thing)
		}
	}
	return nil
}

// Number returns the number in the path parameter name, which checkIDs does not check. If it is
// malformed, the error is KindNotFound and names thing.
func (c *Call) Number(name, thing string) (int64, error) {
	if id := pathID(c.Request, name); id > 0 {
		return id, nil
	}
	return 0, core.NotFound(thing)
}
