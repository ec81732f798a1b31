package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/rest"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// The matrix asks the API who may decide a request, for each kind of caller, step and state, and compares the answers
// with verdictOf, which is written from the contract and calls nothing of the program.

// ranks orders the roles of a Project. A role includes those of lower ranks.
var ranks = map[string]int{"": 0, "viewer": 1, "editor": 2, "admin": 3, "department_admin": 4, "tenant_admin": 5, "super_admin": 6}

// deciderOf has a user with the role of each kind of step, as low as possible, one more such user, and a user to which the
// first one lends its decisions.
var deciderOf = map[string]struct{ first, second, delegate string }{
	"admin":            {"projectAdmin", "departmentAdmin", "ofTwo"},
	"department_admin": {"departmentAdmin", "tenantAdmin", "ofTwo"},
	"tenant_admin":     {"tenantAdmin", "super", "ofOthers"},
	"legal":            {"holder", "holderToo", "ofOthers"},
}

// caller is a kind of user in the matrix.
type caller struct {
	role  string
	legal bool     // holds the custom role of the department
	bars  string   // "submitter" or "contributor" of every request
	lent  []string // by whom, in the order in which the delegations were made
	away  bool     // the account is not active
}

// callers are all users of the matrix, after the changes that fillCallers makes.
var callers = map[string]caller{
	"submitter":      {role: "admin", legal: true, bars: "submitter", lent: []string{"projectAdmin"}},
	"contributor":    {role: "admin", legal: true, bars: "contributor"},
	"tokenMaker":     {role: "admin", legal: true, bars: "contributor"}, // a token of this user changed the entry
	"assistantOwner": {role: "admin", legal: true, bars: "contributor"}, // an assistant of this user did
	"writer":         {role: "editor", bars: "contributor", lent: []string{"projectAdmin", "departmentAdmin", "tenantAdmin", "holder"}},

	"viewer":          {role: "viewer"},
	"editor":          {role: "editor", legal: true},
	"projectAdmin":    {role: "admin"},
	"departmentAdmin": {role: "department_admin"},
	"tenantAdmin":     {role: "tenant_admin"},
	"super":           {role: "super_admin"},
	"holder":          {legal: true},
	"holderToo":       {legal: true},
	"outsider":        {},
	"otherAdmin":      {},
	"inactive":        {role: "admin", away: true},

	"ofAdmin":       {role: "viewer", lent: []string{"projectAdmin"}},
	"ofTwo":         {role: "viewer", lent: []string{"projectAdmin", "departmentAdmin"}},
	"ofOthers":      {role: "viewer", lent: []string{"tenantAdmin", "holder"}},
	"adminOfHead":   {role: "admin", lent: []string{"departmentAdmin"}},
	"ofSubmitter":   {role: "viewer", lent: []string{"submitter"}},
	"ofContributor": {role: "viewer", lent: []string{"contributor"}},
	"ofTokenMaker":  {role: "viewer", lent: []string{"tokenMaker"}},
	"bySetting":     {role: "viewer", lent: []string{"projectAdmin"}}, // the department admin set it
	"chained":       {role: "viewer", lent: []string{"ofAdmin"}},
	"elsewhere":     {role: "viewer"}, // the admin lends to it in another Project
	"ended":         {role: "viewer"}, // the admin has ended the delegation
	"later":         {role: "viewer"}, // the delegation has not begun
	"ofInactive":    {role: "viewer"}, // who lends is not active
	"ofFormer":      {role: "viewer"}, // who lends is no admin any more
	"unseeing":      {lent: []string{"projectAdmin"}},
}

// holds reports whether the user has the role that a step asks for.
func (c caller) holds(kind string) bool {
	if kind == "legal" {
		return c.legal
	}
	return kind != "" && !c.away && ranks[c.role] >= ranks[kind]
}

// matrixStep is a step of a workflow of the matrix.
type matrixStep struct {
	order, approvals     int
	kind, escalates      string // of roles; escalates may be empty
	late                 bool   // it has been open for longer than escalate.after
	delegable, signature bool
	locale               string // of when; entries have en
}

// given is an approval of a step, which begins with 1.
type given struct {
	step           int
	person, behalf string
}

// matrixState is the state of a request of the matrix.
type matrixState struct {
	given []given
	end   string // "": pending; else how it got to its status
}

var matrixEnds = []string{"published", "rejected", "revision", "waits", "withdrawn"}

// verdict says what a caller gets.
type verdict struct {
	status int   // of GET
	steps  []int // that it may decide
	own    []int // of these, in its own name
	late   map[string]bool
	lent   map[int][]string // on whose behalf
	why    []string         // if there are no steps: the reasons that may be shown
	codes  map[string]int   // of an approval without a body, and of one of each open step
}

// reasonTexts are parts of the sentences that say each reason.
var reasonTexts = map[string]string{
	"role": " is for: ", "submitter": "submitted this request, and", "contributor": "changed the ", "approver": "ou approved an earlier step", "seated": "ou approved this step already, or one that is open at the same time",
	"lender": "on whose behalf you may decide submitted", "lenderSeated": "on whose behalf you may decide approved", "waits": "waits for its publication time", "ended": "he request has ended",
}

// verdictOf returns what the named caller gets, by the contract.
func verdictOf(name string, steps []matrixStep, self bool, state matrixState) verdict {
	who := callers[name]
	e := verdict{status: http.StatusOK, lent: map[int][]string{}, late: map[string]bool{}, codes: map[string]int{}}
	applies := func(i int) bool { return steps[i].locale != "fr" }
	if who.away {
		e.status = http.StatusUnauthorized
		return e
	}
	named := slices.ContainsFunc(steps, func(s matrixStep) bool { return s.kind == "legal" || s.escalates == "legal" })
	if who.role == "" && (!who.legal || !named) {
		e.status = http.StatusNotFound
		return e
	}
	if state.end != "" {
		e.why = []string{map[bool]string{true: "waits", false: "ended"}[state.end == "waits"]}
		e.codes[""] = http.StatusForbidden
		for _, s := range steps { // who reviews it at all is told that the state does not allow it
			lent := s.delegable && slices.ContainsFunc(who.lent, func(from string) bool { return callers[from].holds(s.kind) || callers[from].holds(s.escalates) })
			if who.holds(s.kind) || who.holds(s.escalates) || lent {
				e.codes[""] = http.StatusConflict
			}
		}
		return e
	}
	count := func(step int) (n int) {
		for _, g := range state.given {
			if g.step == step {
				n++
			}
		}
		return n
	}
	var open []int
	for i, s := range steps {
		if applies(i) && count(i+1) < s.approvals && (len(open) == 0 || s.order == steps[open[0]-1].order) {
			open = append(open, i+1)
		}
	}
	order := steps[open[0]-1].order
	// approved reports whether a user is on an approval of the open steps' order, or of an earlier one.
	approved := func(user string, now bool) bool {
		return slices.ContainsFunc(state.given, func(g given) bool {
			return (g.person == user || g.behalf == user) && (steps[g.step-1].order == order) == now
		})
	}
	bars := func(user string) (why []string) {
		switch {
		case approved(user, true):
			return []string{"seated"}
		case self:
			return nil
		}
		if of := callers[user].bars; of != "" {
			why = append(why, of)
		}
		if approved(user, false) {
			why = append(why, "approver")
		}
		return why
	}
	barred := bars(name)
	seated := slices.Contains(barred, "seated")
	for _, id := range open {
		s := steps[id-1]
		holds := func(user caller) (may, late bool) {
			if user.holds(s.kind) {
				return true, false
			}
			late = s.late && user.holds(s.escalates)
			return late, late
		}
		own, late := holds(who)
		own = own && len(barred) == 0
		if own {
			e.own = append(e.own, id)
			e.late[fmt.Sprint(id, "")] = late
		}
		concerned, _ := holds(who)
		for _, from := range who.lent {
			lends, late := holds(callers[from])
			if !s.delegable || !lends {
				continue
			}
			concerned = true
			switch why := bars(from); {
			case len(barred) > 0:
			case len(why) == 0:
				e.lent[id] = append(e.lent[id], from)
				e.late[fmt.Sprint(id, from)] = late
			case why[0] == "seated":
				e.why = append(e.why, "lenderSeated")
			default:
				e.why = append(e.why, "lender")
			}
		}
		if concerned {
			e.why = append(e.why, barred...)
		}
		if own || len(e.lent[id]) > 0 {
			e.steps = append(e.steps, id)
		}
	}
	status := func(may bool, signature bool) int {
		switch {
		case !may && (seated || len(e.steps) == 0 && slices.Contains(e.why, "lenderSeated")):
			return http.StatusConflict
		case !may || signature:
			return http.StatusForbidden
		default:
			return http.StatusOK
		}
	}
	for _, id := range open {
		e.codes[fmt.Sprint(id)] = status(slices.Contains(e.steps, id), steps[id-1].signature)
	}
	switch {
	case len(e.steps) > 1:
		e.codes[""] = http.StatusUnprocessableEntity
	case len(e.steps) == 1:
		e.codes[""] = e.codes[fmt.Sprint(e.steps[0])]
	default:
		e.codes[""] = status(false, false)
	}
	switch {
	case len(e.steps) > 0:
		e.why = nil
	case seated:
		e.why = []string{"seated"}
	case len(e.why) == 0:
		e.why = []string{"role"}
	}
	return e
}

// matrixShapes returns workflows with a step of the kind, and the states of their requests.
func matrixShapes(kind string, delegable bool) map[string]struct {
	steps  []matrixStep
	states []matrixState
} {
	type shape = struct {
		steps  []matrixStep
		states []matrixState
	}
	by, other := deciderOf[kind], "legal"
	if kind == "legal" {
		other = "admin"
	}
	one := matrixStep{order: 1, approvals: 1, kind: kind, delegable: delegable}
	with := func(change func(*matrixStep)) matrixStep {
		s := one
		change(&s)
		return s
	}
	fresh := matrixState{}
	// approvedAt returns the states in which a step is approved once: in the own name and, if it is delegable, by a delegate.
	approvedAt := func(step matrixStep, id int) []matrixState {
		by := deciderOf[step.kind]
		states := []matrixState{{given: []given{{id, by.first, ""}}}}
		if step.delegable {
			states = append(states, matrixState{given: []given{{id, by.delegate, by.first}}})
		}
		return states
	}
	ended := []matrixState{fresh}
	for _, end := range matrixEnds {
		ended = append(ended, matrixState{given: []given{{1, by.first, ""}}, end: end})
	}
	first := matrixStep{order: 1, approvals: 1, kind: "admin", delegable: delegable}
	second := with(func(s *matrixStep) { s.order = 2 })
	parallel := matrixStep{order: 1, approvals: 1, kind: other, delegable: delegable}
	early := with(func(s *matrixStep) { s.escalates = other })
	late := with(func(s *matrixStep) { s.escalates, s.late, s.approvals = other, true, 2 })
	lateOnce := []matrixState{fresh, {given: []given{{1, deciderOf[other].first, ""}}}}
	return map[string]shape{
		"a step":                 {[]matrixStep{one}, ended},
		"a quorum":               {[]matrixStep{with(func(s *matrixStep) { s.approvals = 2 })}, append(approvedAt(one, 1), fresh)},
		"two steps at once":      {[]matrixStep{one, parallel}, append(approvedAt(one, 1), fresh)},
		"a later step":           {[]matrixStep{first, second}, approvedAt(first, 1)},
		"after one that is left": {[]matrixStep{{order: 1, approvals: 1, kind: "admin", locale: "fr"}, with(func(s *matrixStep) { s.order, s.locale = 2, "en" }), {order: 3, approvals: 1, kind: "tenant_admin"}}, []matrixState{fresh}},
		"not escalated yet":      {[]matrixStep{early}, []matrixState{fresh}},
		"escalated":              {[]matrixStep{late}, lateOnce},
		"signed":                 {[]matrixStep{with(func(s *matrixStep) { s.signature = true })}, []matrixState{fresh}},
	}
}

// behindClock is a clock that is behind by a time that the test sets.
type behindClock struct{ behind atomic.Int64 }

func (c *behindClock) Now() time.Time { return time.Now().Add(-time.Duration(c.behind.Load())) }

// unlimited is a ports.RateLimiter that allows everything.
type unlimited struct{}

func (unlimited) Take(context.Context, string, ports.Budget, int) (ports.Spending, error) {
	return ports.Spending{Allowed: true, Remaining: 1}, nil
}

// matrix is the API with the callers of the matrix.
type matrix struct {
	*world

	clock *behindClock
	made  int
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	clock := &behindClock{}
	m := &matrix{world: setupOn(t, memory.NewAt(clock), unlimited{}, func(*rest.Deps) {}), clock: clock}
	m.fillCallers()
	return m
}

// fillCallers adds the users that the world lacks, with their delegations.
func (m *matrix) fillCallers() {
	ctx, now := m.t.Context(), time.Now().UTC().Truncate(time.Millisecond)
	add := func(name string, c caller) {
		if _, known := m.users[name]; known {
			return
		}
		u := m.users["viewer"]
		u.ID, u.Email, u.Name = 0, strings.ToLower(name)+"@meridian.example", name
		if c.role == "" {
			u.TenantID = m.tenant.ID
		}
		require.NoError(m.t, m.stores.Users.Insert(ctx, &u))
		if c.role != "" {
			require.NoError(m.t, m.stores.Grants.Set(ctx, core.Grant{UserID: u.ID, Role: core.Role(c.role), TenantID: m.tenant.ID, DepartmentID: m.department.ID, ProjectID: m.project.ID}))
		}
		if c.legal {
			require.NoError(m.t, m.stores.CustomRoles.Assign(ctx, m.role.ID, u.ID))
		}
		m.users[name], m.cookies[name] = u, (name + strings.Repeat("x", 26))[:26]
		require.NoError(m.t, m.stores.Sessions.Insert(ctx, account.Session{Hash: secret.Hash(m.cookies[name]), UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}))
	}
	for _, name := range slices.Sorted(maps.Keys(callers)) {
		add(name, callers[name])
	}
	add("wentAway", caller{role: "admin"})
	add("former", caller{role: "admin"})
	beside := *m.project
	beside.ID, beside.UUID, beside.Name = 0, "11111111-3a6c-4a43-8d2a-0a6f7f0f9c33", "Sports"
	require.NoError(m.t, m.stores.Projects.Insert(ctx, &beside))
	require.NoError(m.t, m.stores.Grants.Set(ctx, core.Grant{UserID: m.users["projectAdmin"].ID, Role: core.RoleAdmin, TenantID: m.tenant.ID, DepartmentID: m.department.ID, ProjectID: beside.ID}))

	m.clock.behind.Store(int64(200 * time.Hour))
	lend := func(from, to, more string) string {
		body := fmt.Sprintf(`{"to":%d,"until":%q%s}`, m.users[to].ID, now.AddDate(0, 0, 30).Format(time.RFC3339), more)
		return fmt.Sprint(m.must(m.send(http.MethodPost, "/api/me/delegations", body, m.as(from)))["id"])
	}
	for _, name := range slices.Sorted(maps.Keys(callers)) {
		for _, from := range callers[name].lent {
			if name != "bySetting" {
				lend(from, name, "")
			}
		}
	}
	set := fmt.Sprintf(`{"for":%d,"to":%d,"until":%q}`, m.users["projectAdmin"].ID, m.users["bySetting"].ID, now.AddDate(0, 0, 30).Format(time.RFC3339))
	m.must(m.send(http.MethodPost, "/api/departments/"+itoa(m.department.ID)+"/delegations", set, m.as("departmentAdmin")))
	lend("projectAdmin", "elsewhere", `,"projects":[`+itoa(beside.ID)+`]`)
	lend("projectAdmin", "later", `,"from":"`+now.AddDate(0, 0, 5).Format(time.RFC3339)+`"`)
	lend("wentAway", "ofInactive", "")
	lend("former", "ofFormer", "")
	end := lend("projectAdmin", "ended", "")
	require.Equal(m.t, http.StatusNoContent, m.send(http.MethodDelete, "/api/me/delegations/"+end, "", m.as("projectAdmin")).StatusCode)
	for _, name := range []string{"wentAway", "inactive"} {
		m.must(m.send(http.MethodPatch, "/api/users/"+itoa(m.users[name].ID), `{"active":false}`, m.as("super")))
	}
	require.NoError(m.t, m.stores.Grants.Set(ctx, core.Grant{UserID: m.users["former"].ID, Role: core.RoleEditor, TenantID: m.tenant.ID, DepartmentID: m.department.ID, ProjectID: m.project.ID}))

	text := access.NewSecret()
	require.NoError(m.t, m.stores.Tokens.Insert(ctx, &core.Token{
		ProjectID: m.project.ID, Name: "made", Hash: secret.Hash(text), CreatedAt: now, CreatedBy: m.users["tokenMaker"].ID, AllowDrafts: true,
		Abilities: []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate},
	}))
	m.secrets["made"] = text
	text = access.NewAssistantSecret()
	require.NoError(m.t, m.stores.Assistants.Insert(ctx, &core.Assistant{
		Name: "made", UserID: m.users["assistantOwner"].ID, Hash: secret.Hash(text), CreatedAt: now, ExpiresAt: now.Add(time.Hour), Drafts: true, ProjectIDs: []int64{m.project.ID},
	}))
	m.secrets["owned"] = text
}

// governBy sets the workflow of the Project.
func (m *matrix) governBy(steps []matrixStep, self bool) {
	type body = map[string]any
	role := func(kind string) body {
		if kind == "legal" {
			return body{"requiredRoleKind": "admin", "requiredCustomRoleId": m.role.ID}
		}
		return body{"requiredRoleKind": kind}
	}
	var all []body
	for _, s := range steps {
		step := role(s.kind)
		step["stepOrder"], step["approvals"], step["delegable"] = s.order, s.approvals, s.delegable
		if s.locale != "" {
			step["when"] = body{"locales": []string{s.locale}}
		}
		if s.signature {
			step["signature"] = body{"meanings": []string{"I reviewed this"}}
		}
		if s.escalates != "" {
			to := role(s.escalates)
			if to["requiredCustomRoleId"] != nil {
				delete(to, "requiredRoleKind")
			}
			if to["after"] = 100; s.late {
				to["after"] = 48
			}
			step["escalate"] = to
		}
		all = append(all, step)
	}
	text, err := json.Marshal(body{"steps": all, "allowSelfApproval": self})
	require.NoError(m.t, err)
	m.must(m.send(http.MethodPut, "/api/projects/"+itoa(m.project.ID)+"/approval-workflow", string(text), m.as("super")))
}

// open makes a request in a state, submitted 72 hours ago, and returns its path.
func (m *matrix) open(kind string, state matrixState) (path string) {
	m.t.Helper()
	m.clock.behind.Store(int64(72 * time.Hour))
	defer m.clock.behind.Store(0)
	m.made++
	made := m.must(m.send(http.MethodPost, m.content("/content"), fmt.Sprintf(`{"fields":{"title":"Matrix %d"}}`, m.made), m.as("submitter")))
	entry := int64(made["id"].(float64))
	one := m.content("/content/" + itoa(entry))
	for i, by := range []with{m.as("contributor"), m.as("writer"), m.bearer("owned")} {
		m.must(m.send(http.MethodPatch, one, fmt.Sprintf(`{"fields":{"views":%d}}`, i), by))
	}
	m.must(m.send(http.MethodPatch, m.public("/collections/articles/entries/"+itoa(entry)), `{"fields":{"views":7}}`, m.bearer("made")))
	of := one
	if kind == "release" {
		all := "/api/projects/" + itoa(m.project.ID) + "/releases"
		of = all + "/" + fmt.Sprint(m.must(m.send(http.MethodPost, all, fmt.Sprintf(`{"name":"Matrix %d"}`, m.made), m.as("submitter")))["id"])
		m.must(m.send(http.MethodPost, of+"/members", fmt.Sprintf(`{"members":[{"entryId":%d}]}`, entry), m.as("submitter")))
	}
	require.Equal(m.t, http.StatusAccepted, m.send(http.MethodPost, of+"/publish", "{}", m.as("submitter")).StatusCode)
	path = of + "/approval"
	if state.end == "waits" {
		m.must(m.send(http.MethodPut, path+"/schedule", `{"publishAt":"2100-01-02T15:04:05Z"}`, m.as("submitter")))
	}
	m.clock.behind.Store(int64(10 * time.Hour)) // when escalated steps are so
	by := with(nil)
	for _, g := range state.given {
		body := "{}"
		if g.behalf != "" {
			body = fmt.Sprintf(`{"for":%d}`, m.users[g.behalf].ID)
		}
		by = m.as(g.person)
		if state.end == "" || state.end == "published" || state.end == "waits" {
			m.must(m.send(http.MethodPost, path+"/approve", body, by))
		}
	}
	switch state.end {
	case "rejected":
		m.must(m.send(http.MethodPost, path+"/reject", "{}", by))
	case "revision":
		m.must(m.send(http.MethodPost, path+"/request-revision", `{"comment":"Once more."}`, by))
	case "withdrawn":
		if kind == "release" {
			m.must(m.send(http.MethodPost, path+"/withdraw", "{}", m.as("submitter")))
		} else {
			m.must(m.send(http.MethodPost, of+"/unpublish", "", m.as("submitter")))
		}
	}
	return path
}

// cell is one caller at one request of the matrix.
type cell struct {
	*matrix

	name, kind string
	steps      []matrixStep
	state      matrixState
	verdict
}

func (c cell) String() string {
	return fmt.Sprintf("%s, %s, %+v, %+v", c.name, c.kind, c.steps, c.state)
}

// ids returns the ids of users.
func (c cell) ids(names []string) (ids []int64) {
	for _, name := range names {
		ids = append(ids, c.users[name].ID)
	}
	return ids
}

// shown is what the matrix reads of a request.
type shown struct {
	CanAct      bool
	CanActOn    []int
	Reason      string
	CurrentStep *struct{ StepID int }
	CanActFor   []struct {
		StepID int
		Own    bool
		For    []core.ActorRef
	}
	Deciders []struct {
		StepID  int
		UserIDs []int64
	}
	CurrentSteps []struct{ StepID int }
	Actions      []struct {
		Type       string
		By         string
		Actor      core.ActorRef
		OnBehalfOf *core.ActorRef
	}
}

// sees compares what the caller is shown.
func (c cell) sees(path string) {
	answer := c.send(http.MethodGet, path, "", c.as(c.name))
	require.Equal(c.t, c.status, answer.StatusCode, "%v: %s", c, answer.body)
	pending := c.send(http.MethodGet, "/api/approvals/pending?perPage=100&sort=submittedAt:desc", "", c.as(c.name))
	if c.status == http.StatusUnauthorized {
		require.Equal(c.t, c.status, pending.StatusCode)
		return
	}
	require.Equal(c.t, len(c.verdict.steps) > 0, strings.Contains(string(pending.body), fmt.Sprintf(`"title":"Matrix %d"`, c.made)), "%v: the inbox", c)
	if c.status != http.StatusOK {
		return
	}
	var v shown
	require.NoError(c.t, json.Unmarshal(answer.body, &v))
	require.Equal(c.t, len(c.verdict.steps) > 0, v.CanAct, "%v", c)
	require.Equal(c.t, append([]int{}, c.verdict.steps...), v.CanActOn, "%v", c)
	lent := map[int][]int64{}
	for _, l := range v.CanActFor {
		require.Equal(c.t, slices.Contains(c.own, l.StepID), l.Own, "%v", c)
		for _, from := range l.For {
			lent[l.StepID] = append(lent[l.StepID], from.ID)
		}
	}
	want := map[int][]int64{}
	for id, names := range c.lent {
		want[id] = c.ids(names)
	}
	require.Equal(c.t, want, lent, "%v: on whose behalf", c)
	for _, step := range v.CurrentSteps {
		for _, d := range v.Deciders {
			if d.StepID == step.StepID {
				require.Equal(c.t, slices.Contains(c.own, d.StepID), slices.Contains(d.UserIDs, c.users[c.name].ID), "%v: the deciders of step %d", c, d.StepID)
			}
		}
	}
	if v.CanAct {
		require.Empty(c.t, v.Reason, "%v", c)
		require.Equal(c.t, c.verdict.steps[0], v.CurrentStep.StepID, "%v", c)
		return
	}
	require.True(c.t, slices.ContainsFunc(c.why, func(why string) bool { return strings.Contains(v.Reason, reasonTexts[why]) }), "%v: %q is none of %v", c, v.Reason, c.why)
}

// decides compares the status of decisions. A decision that is allowed is made, and recorded as the contract says, about a
// request of its own. It returns the path of one that is left in the state.
func (c cell) decides(path string) (next string) {
	one := func(body string, want int, as func(step int) string) {
		answer := c.send(http.MethodPost, path+"/approve", body, c.as(c.name))
		require.Equal(c.t, want, answer.StatusCode, "%v: %s: %s", c, body, answer.body)
		if want != http.StatusOK {
			return
		}
		var v shown
		require.NoError(c.t, json.Unmarshal(answer.body, &v))
		at := len(v.Actions) - 1 // before that of the publication, if there is one
		for at >= 0 && v.Actions[at].Type != "approve" {
			at--
		}
		require.Equal(c.t, c.users[c.name].ID, v.Actions[at].Actor.ID, "%v", c)
		step := c.verdict.steps[0]
		if n := strings.Index(body, `"stepId":`); n >= 0 {
			_, err := fmt.Sscanf(body[n:], `"stepId":%d`, &step)
			require.NoError(c.t, err)
		}
		from := as(step)
		if require.Equal(c.t, from != "", v.Actions[at].OnBehalfOf != nil, "%v: %s", c, body); from != "" {
			require.Equal(c.t, c.users[from].ID, v.Actions[at].OnBehalfOf.ID, "%v: %s", c, body)
		}
		require.Equal(c.t, c.late[fmt.Sprint(step, from)], v.Actions[at].By == "escalation", "%v: %s", c, body)
		path = c.open(c.kind, c.state)
	}
	usual := func(step int) string {
		if slices.Contains(c.own, step) {
			return ""
		}
		return c.lent[step][0]
	}
	one("{}", c.codes[""], usual)
	for _, id := range slices.Sorted(maps.Keys(c.codes)) {
		if id != "" {
			one(`{"stepId":`+id+`}`, c.codes[id], usual)
		}
	}
	if c.state.end != "" {
		return path
	}
	for _, from := range callers[c.name].lent {
		var steps []int
		for _, id := range c.verdict.steps {
			if slices.Contains(c.lent[id], from) {
				steps = append(steps, id)
			}
		}
		if len(steps) != 1 || c.steps[steps[0]-1].signature {
			continue
		}
		one(fmt.Sprintf(`{"for":%d,"stepId":%d}`, c.users[from].ID, steps[0]), http.StatusOK, func(int) string { return from })
	}
	if lent := c.users["projectAdmin"].ID; !slices.Contains(callers[c.name].lent, "projectAdmin") && len(c.verdict.steps) > 0 {
		one(fmt.Sprintf(`{"for":%d}`, lent), http.StatusForbidden, nil)
	}
	return path
}

// TestMatrixOfDecisions compares what the API shows and allows with the contract.
func TestMatrixOfDecisions(t *testing.T) {
	t.Parallel()
	var cells atomic.Int64
	for kind := range deciderOf {
		for _, delegable := range []bool{false, true} {
			for name, shape := range matrixShapes(kind, delegable) {
				t.Run(fmt.Sprintf("%s, %s, delegable %t", kind, name, delegable), func(t *testing.T) {
					t.Parallel()
					m := newMatrix(t)
					for _, self := range []bool{false, true} {
						if self && !delegable && name != "a step" { // delegable steps show the same
							continue
						}
						m.governBy(shape.steps, self)
						for i, state := range shape.states {
							for k, subject := range []string{"entry", "release"} {
								if k == 1 && (self != delegable || i > 1) { // releases have the same code, so that fewer are enough
									continue
								}
								m.compare(shape.steps, self, subject, state)
								cells.Add(int64(len(callers)))
							}
						}
					}
				})
			}
		}
	}
	t.Cleanup(func() { t.Logf("%d cells", cells.Load()) })
}

// compare compares all callers at one kind of request.
func (m *matrix) compare(steps []matrixStep, self bool, subject string, state matrixState) {
	path := m.open(subject, state)
	for _, name := range slices.Sorted(maps.Keys(callers)) {
		c := cell{m, name, subject, steps, state, verdictOf(name, steps, self, state)}
		c.sees(path)
		if c.status == http.StatusOK {
			path = c.decides(path)
			continue
		}
		answer := c.send(http.MethodPost, path+"/approve", "{}", c.as(name))
		require.Equal(m.t, c.status, answer.StatusCode, "%v", c)
	}
	before := m.send(http.MethodGet, path, "", m.as("super"))
	for _, token := range []string{"made", "owned", "full", "bySuper", "byAdmin", "byHolder"} {
		answer := m.send(http.MethodPost, path+"/approve", "{}", m.bearer(token), header("Sec-Fetch-Site", "same-origin"))
		require.Contains(m.t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, answer.StatusCode, token)
	}
	require.Equal(m.t, string(before.body), string(m.send(http.MethodGet, path, "", m.as("super")).body))
}
