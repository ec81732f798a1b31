package rest_test

import (
	"crypto/rand"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/core/secret"
)

// The users of the matrix. Insiders have a role in the tenant, the department or the Project of
// the paths, or are super admins, in descending order of their permissions. Outsiders have no
// such role. The holder has only a custom role of the department.
var (
	insiders  = []string{"super", "tenantAdmin", "departmentAdmin", "projectAdmin", "editor", "viewer"}
	outsiders = []string{"outsider", "otherAdmin", "holder"}
	everyone  = append(slices.Clone(insiders), outsiders...)
	tokens    = []string{"full", "read", "create", "update", "delete", "schema", "expired", "revoked", "other"}

	// Assistants of users, as world.fillAssistants has them.
	assistants = []string{"bySuper", "byAdmin", "byEditor", "byViewer", "reader", "byOutsider", "byHolder", "elsewhere", "expiredAssistant", "revokedAssistant"}
)

// mayUsers has, independently of the policy, the users that may perform an action.
var mayUsers = map[string][]string{
	"session":                   everyone,
	"session.end":               everyone,
	"password.set":              everyone,
	"factors.set":               everyone,
	"tenant.create":             insiders[:1],
	"tenant.delete":             insiders[:1],
	"tenant.view":               insiders,
	"tenant.update":             insiders[:2],
	"tenant.members.view":       insiders[:2],
	"tenant.members.manage":     insiders[:2],
	"tenant.events.view":        insiders[:2],
	"tenant.providers.manage":   insiders[:2],
	"department.create":         insiders[:2],
	"department.view":           insiders,
	"department.update":         insiders[:2],
	"department.delete":         insiders[:2],
	"department.members.view":   insiders[:3],
	"department.members.manage": insiders[:3],
	"custom_role.view":          insiders,
	"custom_role.manage":        insiders[:3],
	"project.create":            insiders[:2],
	"project.view":              insiders,
	"project.update":            insiders[:4],
	"project.delete":            insiders[:2],
	"project.members.view":      insiders,
	"project.members.manage":    insiders[:4],
	"token.manage":              insiders[:4],
	"webhook.manage":            insiders[:4],
	"project.events.view":       insiders[:4],
	"collection.view":           insiders,
	"collection.manage":         insiders[:4],
	"content.read":              insiders,
	"content.write":             insiders[:5],
	"content.drafts.read":       insiders,
	"content.draft":             insiders[:5],
	"release.propose":           insiders[:5],
	"approval.comment":          append(slices.Clone(insiders), "holder"),
	"content.destroy":           insiders[:4],
	"release.view":              append(slices.Clone(insiders), "holder"),
	"release.write":             insiders[:5],
	"media.view":                insiders,
	"media.write":               insiders[:5],
	"media.delete":              insiders[:5],
	"department.workflow.view":  insiders[:3],
	"department.workflow.set":   insiders[:2],
	"project.workflow.view":     insiders,
	"project.workflow.set":      insiders[:2],
	"approval.view":             append(slices.Clone(insiders), "holder"),
	"approval.decide":           append(slices.Clone(insiders), "holder"),
	"user.list":                 insiders[:2],
	"user.create":               insiders[:2],
}

// mayTokens has the tokens that may perform an action. Expired and revoked tokens and tokens of
// other Projects never may.
var mayTokens = map[string][]string{
	"public.read":      {"full", "read", "schema"},
	"public.read_only": {"full", "read", "schema"},
	"public.schema":    {"schema"},
	"public.create":    {"full", "create"},
	"public.update":    {"full", "update"},
	"public.delete":    {"full", "delete"},
}

// mayAssistants has the assistants that may perform an action. No assistant may perform any other action.
var mayAssistants = map[string][]string{
	"public.read":         assistants[:5],
	"public.read_only":    assistants[:5],
	"content.drafts.read": assistants[:4],
	"content.draft":       assistants[:3],
	"release.propose":     assistants[:3],
	"approval.comment":    assistants[:4],
}

// forAssistants has the operations of these actions besides those of public.read and public.read_only.
var forAssistants = []string{
	"listContent", "getContent", "createContent", "updateContent", "publishContent", "createRelease", "putReleaseMembers", "publishRelease",
	"listComments", "addComment", "listCommentsRelease", "addCommentRelease",
}

// accountRoutes need only a session, but an account is visible only to its owner and the admins
// that manage it. The matrix uses the account of the editor.
var accountRoutes = map[string][]string{
	"getUser":     {"super", "tenantAdmin", "editor"},
	"updateUser":  {"super", "tenantAdmin", "editor"},
	"setPassword": {"super", "tenantAdmin", "editor"},

	"listUserTokens":      {"super", "tenantAdmin", "editor"},
	"previewDeactivation": {"super", "tenantAdmin", "editor"},

	"endMySession":    {"editor"},
	"endMyDelegation": {"editor"},

	"revokeMyAssistant": {"editor"},

	"listUserIdentityProviders": {"super", "tenantAdmin", "editor"},
	"unlinkUser":                {"super", "tenantAdmin", "editor"},

	"resetFactors": {"super", "tenantAdmin", "departmentAdmin"}, // the last may give all roles of the editor

	// An invitation to a role in the Project.
	"invite":           insiders[:4],
	"resendInvitation": insiders[:4],
	"revokeInvitation": insiders[:4],

	"renamePasskey": {"editor"},
	"removePasskey": {"editor"},
}

// openToAll has the operations without authentication.
var openToAll = map[string]bool{
	"signIn": true, "finishSignIn": true, "requestPasskey": true, "whoAmI": true, "readKeys": true,
	"lookUpSignIn": true, "beginProviderSignIn": true, "finishProviderSignIn": true, "endProviderSessions": true, "lookUpProviderSignOut": true, "requestProviderLink": true,
	"lookAtInvitation": true, "acceptInvitation": true, "requestPasswordReset": true, "lookAtPasswordReset": true, "finishPasswordReset": true, "lookAtMyEmail": true, "confirmMyEmail": true,
}

// deciders has the users that may decide the request of the matrix, which the editor submitted.
// It is at its first step, or, for publishNow, approved with a publication time. Other users
// that may see the request get 403.
var deciders = map[string][]string{
	"challengeApproval": insiders[:4], "challengeApprovalRelease": insiders[:4],
	"approve":                 insiders[:4],
	"reject":                  insiders[:4],
	"requestRevision":         insiders[:4],
	"publishNow":              insiders[:4],
	"approveRelease":          insiders[:4],
	"rejectRelease":           insiders[:4],
	"requestRevisionRelease":  insiders[:4],
	"publishNowRelease":       insiders[:4],
	"scheduleApprovalRelease": {"super", "tenantAdmin", "departmentAdmin", "editor"},
	"editComment":             {"editor"},
	"editCommentRelease":      {"editor"},
	"deleteComment":           {"editor"},
	"deleteCommentRelease":    {"editor"},
	"resolveComment":          {"super", "tenantAdmin", "departmentAdmin", "projectAdmin", "editor", "holder"}, // its author, and reviewers
	"resolveCommentRelease":   {"super", "tenantAdmin", "departmentAdmin", "projectAdmin", "editor", "holder"},
	"scheduleApproval":        {"super", "tenantAdmin", "departmentAdmin", "editor"}, // the submitter, and reviewers of the last step
}

const schemaBody = `{"schema":"format: 1\ncollections:\n  - key: pages\n    name: Pages\n    fields: []\n","base":"0"}`

const workflowBody = `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`

// bodies has the request bodies by operation.
var bodies = map[string]string{
	"signIn":                `{"email":"editor@meridian.example","password":"` + userPassword + `"}`,
	"finishSignIn":          `{"totp":"123456"}`,
	"lookUpSignIn":          `{"email":"editor@meridian.example"}`,
	"beginProviderSignIn":   `{"providerId":{staff}}`,
	"finishProviderSignIn":  `{"providerId":{staff},"state":"x","code":"x"}`,
	"lookUpProviderSignOut": `{"providerId":{staff}}`,
	"endProviderSessions":   `{"logout_token":"nobody"}`,
	"requestProviderLink":   `{"providerId":{staff},"email":"editor@meridian.example"}`,
	"finishPasskey":         `{"credential":{}}`,
	"renamePasskey":         `{"name":"Key"}`,
	"confirmApp":            `{"code":"123456"}`,
	"verifySession":         `{"totp":"123456"}`,
	"createTenant":          `{"name":"New"}`,
	"requestPasswordReset":  `{"email":"editor@meridian.example"}`,
	"lookAtInvitation":      `{"secret":"x"}`,
	"acceptInvitation":      `{"secret":"x"}`,
	"lookAtPasswordReset":   `{"secret":"x"}`,
	"finishPasswordReset":   `{"secret":"x","password":"a long enough one"}`,
	"lookAtMyEmail":         `{"secret":"x"}`,
	"confirmMyEmail":        `{"secret":"x"}`,
	"invite":                `{"email":"ida@example.org","roles":[{"role":"viewer","projectId":{project}}]}`,
	"changeMyEmail":         `{"email":"new@meridian.example"}`,
	"updateTenant":          `{"name":"New"}`,
	"createDepartment":      `{"name":"New"}`,
	"updateDepartment":      `{"name":"New"}`,
	"createCustomRole":      `{"name":"New"}`,
	"updateCustomRole":      `{"name":"New"}`,
	"createProject":         `{"name":"New"}`,
	"updateProject":         `{"defaultLocale":"fr","acknowledge":true}`,
	"setTenantMember":       `{"role":"tenant_admin"}`,
	"setDepartmentMember":   `{"role":"department_admin"}`,
	"setProjectMember":      `{"role":"viewer"}`,
	"createUser":            `{"tenantId":1,"email":"new@meridian.example","name":"New","password":"a long enough one"}`,
	"updateUser":            `{"name":"New"}`,
	"updateMySettings":      `{"language":"de","timeZone":"Europe/Berlin","theme":"dark"}`,
	"setPassword":           `{"current":"` + userPassword + `","new":"a longer and better one"}`,
	"createToken":           `{"name":"New","abilities":["read"]}`,
	"updateToken":           `{"name":"New"}`,
	"createWebhook":         `{"name":"New","url":"https://example.org/","events":["*"]}`,
	"updateWebhook":         `{"name":"New"}`,
	"readMyNotices":         `{"ids":[1]}`,
	"replayWebhook":         `{"since":"2026-01-02T15:04:05Z"}`,
	"createCollection":      `{"slug":"pages","name":"Pages","fields":[{"name":"title","label":"Title","type":"text"}]}`,
	"updateCollection":      `{"name":"New"}`,
	"addField":              `{"name":"lead","label":"Lead","type":"text"}`,
	"planSchema":            strings.Replace(schemaBody, `,"base":"0"`, "", 1),
	"planPublicSchema":      strings.Replace(schemaBody, `,"base":"0"`, "", 1),
	"applySchema":           schemaBody,
	"applyPublicSchema":     schemaBody,
	"updateField":           `{"hidden":true,"acknowledge":true}`,
	"fillField":             `{"fields":["title"]}`,
	"addComment":            `{"text":"New"}`,

	"createIdentityProvider":     `{"name":"New","issuer":"https://login.example.org","clientId":"a","clientSecret":"b"}`,
	"updateIdentityProvider":     `{"name":"New"}`,
	"claimDomain":                `{"domain":"meridian.example"}`,
	"createMyAssistant":          `{"name":"Claude","projects":[{project}],"expiresIn":30}`,
	"createMyDelegation":         `{"to":{both},"until":"{tomorrow}"}`,
	"createDepartmentDelegation": `{"for":{projectAdmin},"to":{both},"until":"{tomorrow}"}`,

	"addCommentRelease":    `{"text":"New"}`,
	"editComment":          `{"text":"New"}`,
	"editCommentRelease":   `{"text":"New"}`,
	"createRelease":        `{"name":"New"}`,
	"updateRelease":        `{"name":"New"}`,
	"putReleaseMembers":    `{"members":[{"entryId":{entry}}]}`,
	"removeReleaseMembers": `{"entryIds":[{entry}]}`,
	"markReleaseMembers":   `{"members":[{"entryId":{entry}}]}`,
	"createComponent":      `{"slug":"quote","name":"Quote","fields":[{"name":"text","label":"Text","type":"longtext"}]}`,
	"updateComponent":      `{"name":"New"}`,
	"addComponentField":    `{"name":"lead","label":"Lead","type":"text"}`,
	"updateComponentField": `{"required":true}`,
	"createContent":        `{"fields":{"title":"New"}}`,
	"updateContent":        `{"fields":{"title":"New"}}`,
	"createEntry":          `{"fields":{"title":"New"}}`,
	"updateEntry":          `{"fields":{"title":"New"}}`,
	"updatePublicMedia":    `{"caption":"New","tags":["new"],"alt":"New","focalPoint":{"x":0.5,"y":0},"folder":"New"}`,
	"moveMedia":            `{"ids":[{note}],"folder":"New"}`,
	"copyMedia":            `{"url":"https://example.org/new.txt"}`,
	"updateMedia":          `{"caption":"New","tags":["new"],"alt":"New","focalPoint":{"x":0.5,"y":0},"folder":"New"}`,

	"setDepartmentWorkflow":    workflowBody,
	"setProjectWorkflow":       workflowBody,
	"tryWorkflow":              `{"entryId":{entry}}`,
	"challengeApproval":        `{"decision":"approve","meaning":"I reviewed this for accuracy"}`,
	"challengeApprovalRelease": `{"decision":"approve","meaning":"I reviewed this for accuracy"}`,
	"previewContent":           `{"of":"draft"}`,
	"approve":                  `{"stepOrder":1}`,
	"requestRevision":          `{"comment":"Please name the source."}`,
	"requestRevisionRelease":   `{"comment":"Please name the source."}`,
	"scheduleApproval":         `{"publishAt":"2100-01-02T15:04:05Z"}`,
	"scheduleApprovalRelease":  `{"publishAt":"2100-01-02T15:04:05Z"}`,

	"uploadPublicMedia": newForm().file("new.txt", "new").String(),
	"uploadMedia":       newForm().text("tags", "new").file("new.txt", "new").String(),
}

// outcomes has the statuses of allowed calls whose status is not 200, 201 or 204.
var outcomes = map[string]int{
	"deleteTenant": 409, "deleteDepartment": 409, "deleteCustomRole": 409, "testWebhook": 202, "replayWebhook": 202, "claimDomain": 409,
	"beginProviderSignIn": 404, "lookUpProviderSignOut": 404, "finishProviderSignIn": 401, "requestProviderLink": 202, "linkMyAccount": 404, "verifyAtProvider": 404, "unlinkMyAccount": 404, "unlinkUser": 404, // none is on
	"changeMyEmail": 409, "requestPasswordReset": 202, // without mail
	"lookAtInvitation": 410, "acceptInvitation": 410, "lookAtPasswordReset": 410, "finishPasswordReset": 410, "lookAtMyEmail": 410, "confirmMyEmail": 410,
	"publishRelease": 202, "unscheduleRelease": 409, "revertRelease": 409, // an open release of a governed project
	"applySchema": 409, "applyPublicSchema": 409, // not planned
	"challengeApproval": 422, "challengeApprovalRelease": 422, // a step without signatures
	"fillField":     422,                       // not a group
	"finishPasskey": 422, "removePasskey": 403, // nothing that a browser made, without a fresh proof
	"verifySession": 422, "finishSignIn": 401, "confirmApp": 409, "removeApp": 404, "renewRecoveryCodes": 409, // without a first step, without a factor
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// target returns the path of a route with the ids of the world.
func (w *world) target(route rest.Route) string {
	ids := map[string]string{
		"projectUuid": w.project.UUID, "slug": w.articles.Slug, "entryId": itoa(w.entry.ID), "name": "views", "number": "1",
		"tenantId": itoa(w.tenant.ID), "departmentId": itoa(w.department.ID), "projectId": itoa(w.project.ID),
		"customRoleId": itoa(w.role.ID), "userId": itoa(w.users["editor"].ID), "tokenId": itoa(w.tokenID),
		"providerId": itoa(w.providerID), "webhookId": itoa(w.webhookID), "deliveryId": itoa(w.deliveryID),
		"collectionId": itoa(w.articles.ID), "componentId": itoa(w.hero.ID), "contentId": itoa(w.entry.ID), "mediaId": itoa(w.note.ID),
	}
	switch route.ID {
	case "restoreContent", "destroyContent", "getTrashed":
		ids["contentId"] = itoa(w.trashed.ID)
	case "endMySession":
		sessions, err := w.stores.Sessions.Sessions(w.t.Context(), w.users["editor"].ID)
		require.NoError(w.t, err)
		ids["sessionId"] = itoa(sessions[0].ID)
	case "getSingleEntry":
		single := *w.articles
		single.Singleton = true
		single.Version++
		require.NoError(w.t, w.stores.Collections.Update(w.t.Context(), &single))
		w.articles.Version = single.Version
	case "getPublicComponent":
		ids["slug"] = w.hero.Slug
	case "renamePasskey", "removePasskey":
		p := account.Passkey{UserID: w.users["editor"].ID, CredentialID: []byte(rand.Text()), PublicKey: []byte("key"), Name: "Phone", CreatedAt: time.Now()}
		require.NoError(w.t, w.stores.Passkeys.Insert(w.t.Context(), &p))
		ids["passkeyId"] = itoa(p.ID)
	case "removeTenantMember":
		ids["userId"] = itoa(w.users["tenantAdmin"].ID)
	case "removeDepartmentMember":
		ids["userId"] = itoa(w.users["departmentAdmin"].ID)
	}
	switch {
	case !strings.Contains(route.Path, "{releaseId}"):
	case w.submitted != 0:
		ids["releaseId"] = itoa(w.submitted)
	case route.ID == "markReleaseMembers":
		ids["releaseId"] = itoa(w.insertRelease(release.Pending))
	default:
		ids["releaseId"] = itoa(w.insertRelease(release.Open))
	}
	if strings.HasPrefix(route.Action.Name, "approval.") {
		ids["contentId"] = itoa(w.submitted)
	}
	if strings.Contains(route.Path, "{commentId}") {
		ids["commentId"] = itoa(w.commented)
	}
	if route.ID == "endMyDelegation" {
		ref := func(name string) core.ActorRef { return core.ActorRef{Kind: "user", ID: w.users[name].ID} }
		d := core.Delegation{
			From: ref("editor"), To: ref("editor"), SetBy: ref("editor"), TenantID: w.tenant.ID,
			Since: time.Now(), Until: time.Now().Add(time.Hour), CreatedAt: time.Now(),
		}
		require.NoError(w.t, w.stores.Delegations.Insert(w.t.Context(), &d))
		ids["delegationId"] = itoa(d.ID)
	}
	if route.ID == "revokeMyAssistant" {
		own, err := w.stores.Assistants.AssistantsOf(w.t.Context(), w.users["editor"].ID)
		require.NoError(w.t, err)
		ids["assistantId"] = itoa(own[0].ID)
	}
	if route.ID == "undoAssistantRun" {
		if w.run == 0 {
			w.run = w.newRun()
		}
		ids["runId"] = itoa(w.run)
	}
	if strings.HasSuffix(route.ID, "Invitation") {
		i := account.Invitation{
			Email: "ida@example.org", TenantID: w.tenant.ID, Grants: []core.Grant{{Role: core.RoleViewer, ProjectID: w.project.ID}},
			InvitedBy: w.users["super"].ID, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
		}
		i.Hash = secret.Hash(secret.Text())
		require.NoError(w.t, w.stores.Invitations.Insert(w.t.Context(), &i))
		ids["invitationId"] = itoa(i.ID)
	}
	path := placeholder.ReplaceAllStringFunc(route.Path, func(name string) string { return ids[strings.Trim(name, "{}")] })
	switch route.ID {
	case "listUsers":
		path += "?tenantId=" + itoa(w.tenant.ID)
	case "findTenantCandidates", "findDepartmentCandidates", "findProjectCandidates":
		path += "?search=edi"
	case "searchEverything", "searchEntries":
		path += "?q=review"
	case "countEntries":
		path += "?by=tags"
	case "getApprovalDiffRelease", "listApprovalChangesRelease":
		path += "?entryId=" + itoa(w.entry.ID)
	case "diffRevision", "listRevisionChanges", "listPublicationChanges":
		path += "?to=draft"
	case "removeField", "deleteCollection":
		path += "?acknowledge=true"
	}
	return path
}

// newRun has an assistant change a draft, and returns the id of the run; 1 where its user may not act.
func (w *world) newRun() int64 {
	w.t.Helper()
	if w.send(http.MethodPatch, w.content("/content/"+itoa(w.entry.ID)), `{"fields":{"title":"By an assistant"}}`, w.bearer("byEditor")).StatusCode != http.StatusOK {
		return 1
	}
	runs := w.must(w.send(http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/assistant-runs", "", w.as("viewer")))["data"].([]any)
	return int64(runs[0].(map[string]any)["id"].(float64))
}

// expected returns the status that a caller must get. 0 means success.
func expected(t *testing.T, route rest.Route, kind, caller string) int {
	byToken := route.Action.Ability != ""
	switch {
	case openToAll[route.ID]:
		return 0
	case kind == "assistant":
		return expectedOfAssistant(route, caller)
	case kind == "anonymous", byToken != (kind == "token"), caller == "expired", caller == "revoked":
		return http.StatusUnauthorized
	case route.ID == "createMyAssistant" && slices.Contains(outsiders, caller):
		return http.StatusUnprocessableEntity // without a role in the project
	}
	if byToken {
		may, known := mayTokens[route.Action.Name]
		require.True(t, known, "no row for %s", route.Action.Name)
		switch {
		case caller == "other":
			return http.StatusNotFound
		case !slices.Contains(may, caller):
			return http.StatusForbidden
		}
		return 0
	}
	if owners, account := accountRoutes[route.ID]; account {
		if (route.ID == "resetFactors" || route.ID == "unlinkUser") && caller == "editor" {
			return http.StatusForbidden // not for the own account
		}
		if route.ID == "invite" && slices.Contains(insiders, caller) && !slices.Contains(owners, caller) {
			return http.StatusForbidden
		}
		if !slices.Contains(owners, caller) {
			return http.StatusNotFound
		}
		return 0
	}
	may, known := mayUsers[route.Action.Name]
	require.True(t, known, "no row for %s", route.Action.Name)
	switch {
	case slices.Contains(may, caller) && deciders[route.ID] != nil && !slices.Contains(deciders[route.ID], caller):
		return http.StatusForbidden
	case caller == "holder" && route.Action.Name == "release.view" && route.ID != "listReleases":
		return http.StatusNotFound // the release has no request that names the role
	case slices.Contains(may, caller):
		return 0
	case slices.Contains(outsiders, caller) && route.ID != "createTenant":
		return http.StatusNotFound // outsiders must not learn which resources exist
	default:
		return http.StatusForbidden
	}
}

// expectedOfAssistant is expected for assistants.
func expectedOfAssistant(route rest.Route, caller string) int {
	may, known := mayAssistants[route.Action.Name]
	switch {
	case !known, caller == "expiredAssistant", caller == "revokedAssistant":
		return http.StatusUnauthorized
	case caller == "elsewhere", caller == "byOutsider", caller == "byHolder":
		return http.StatusNotFound
	case !slices.Contains(may, caller), route.ID == "putReleaseMembers", route.ID == "publishRelease": // the release is not its own
		return http.StatusForbidden
	default:
		return 0
	}
}

// TestOperationsForAssistants has the whole list of what assistants can call.
func TestOperationsForAssistants(t *testing.T) {
	t.Parallel()
	var found []string
	for _, route := range setup(t).routes {
		_, may := mayAssistants[route.Action.Name]
		assert.Equal(t, route.Action.Assistants != access.NoAssistants, may, route.ID)
		public := strings.HasPrefix(route.Action.Name, "public.read")
		if may && !public {
			found = append(found, route.ID)
		}
		if may && public {
			assert.Equal(t, http.MethodGet, route.Method, route.ID)
		}
	}
	assert.ElementsMatch(t, forAssistants, found)
}

// TestMatrix calls every route as every caller. Rejected calls change nothing and share a world;
// each allowed call has a world of its own.
func TestMatrix(t *testing.T) {
	t.Parallel()
	routes := setup(t).routes
	require.NotEmpty(t, routes)
	callers := map[string][]string{"anonymous": {""}, "user": everyone, "token": tokens, "assistant": assistants}
	for _, route := range routes {
		t.Run(route.ID, func(t *testing.T) {
			t.Parallel()
			shared := matrixWorld(t, route)
			for kind, names := range callers {
				for _, caller := range names {
					want := expected(t, route, kind, caller)
					w := shared
					if want == 0 {
						w = matrixWorld(t, route)
					}
					w.call(route, kind, caller, want)
				}
			}
		})
	}
}

// TestRightsComeBeforeBodies calls every route that reads a body as every caller that may not, with bodies that
// are not valid. The response says that the caller may not, and nothing about the body.
func TestRightsComeBeforeBodies(t *testing.T) {
	t.Parallel()
	callers := map[string][]string{"anonymous": {""}, "user": everyone, "token": tokens, "assistant": assistants}
	reading := rest.New(rest.Deps{}).Bodies()
	for _, route := range setup(t).routes {
		if body := reading[route.ID]; body.Kind() == reflect.Struct && body.NumField() == 0 || route.Method == http.MethodGet {
			continue
		}
		t.Run(route.ID, func(t *testing.T) {
			t.Parallel()
			w := matrixWorld(t, route)
			for kind, names := range callers {
				for _, caller := range names {
					want := expected(t, route, kind, caller)
					elsewhere := caller == "otherAdmin" && (route.ID == "createUser" || route.ID == "invite") || want == http.StatusUnprocessableEntity ||
						kind == "assistant" && want == http.StatusForbidden && slices.Contains(mayAssistants[route.Action.Name], caller)
					unseen := caller == "holder" && route.Action.Name == "release.view" // may view releases, but not this one
					if want == 0 || elsewhere || unseen {                               // the body names the place
						continue
					}
					for _, body := range []string{"", "{}", `{"no such member":1}`, "{"} {
						// Without a body, no tenant may be known whose existence the status hides.
						got := w.sendAs(route, kind, caller, body).StatusCode
						assert.Equal(t, want == http.StatusUnauthorized, got == http.StatusUnauthorized, "%s %s: %s", kind, caller, body)
						assert.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, got, "%s %s: %s", kind, caller, body)
					}
				}
			}
		})
	}
}

func matrixWorld(t *testing.T, route rest.Route) *world {
	w := setup(t)
	w.govern()
	if route.Action == access.ViewApproval || route.Action == access.CommentApproval || route.Action == access.DecideApproval || route.ID == "withdrawRelease" {
		var request string
		if strings.Contains(route.Path, "{releaseId}") {
			w.submitted = w.insertRelease(release.Open)
			release := "/api/projects/" + itoa(w.project.ID) + "/releases/" + itoa(w.submitted)
			w.must(w.send(http.MethodPost, release+"/publish", "", w.as("editor")))
			request = release + "/approval"
		} else {
			w.submitted = w.submit("Under review", "editor")
			request = w.content("/content/" + itoa(w.submitted) + "/approval")
		}
		if strings.Contains(route.Path, "{commentId}") {
			w.commented = int64(w.must(w.send(http.MethodPost, request+"/comments", `{"text":"Old"}`, w.as("editor")))["id"].(float64))
		}
		if strings.HasPrefix(route.ID, "publishNow") {
			w.must(w.send(http.MethodPut, request+"/schedule", `{"publishAt":"2100-01-02T15:04:05Z"}`, w.as("editor")))
			for _, approver := range []string{"projectAdmin", "holder", "departmentAdmin"} {
				w.must(w.send(http.MethodPost, request+"/approve", "", w.as(approver)))
			}
		}
	}
	if route.ID == "searchEntries" {
		w.searchable()
	}
	return w
}

// insertRelease adds a release that takes the entry of the world offline, and returns its id.
func (w *world) insertRelease(state release.State) int64 {
	w.t.Helper()
	r := release.Release{
		ProjectID: w.project.ID, Name: "Spring", State: release.Open, Version: 1, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		CreatedBy: core.ActorRef{Kind: "user", ID: w.users["editor"].ID, Name: "Editor"},
	}
	require.NoError(w.t, w.stores.Releases.Insert(w.t.Context(), &r))
	require.NoError(w.t, w.stores.Releases.PutMembers(w.t.Context(), w.project.ID, r.ID, []release.Member{
		{EntryID: w.entry.ID, CollectionID: w.articles.ID, Collection: w.articles.Slug, Locale: "en", Action: schedule.Unpublish},
	}))
	if state != r.State {
		r.State = state
		require.NoError(w.t, w.stores.Releases.SetState(w.t.Context(), r))
	}
	return r.ID
}

func (w *world) call(route rest.Route, kind, caller string, want int) {
	w.t.Helper()
	body := strings.NewReplacer("{project}", itoa(w.project.ID), "{note}", itoa(w.note.ID), "{entry}", itoa(w.entry.ID), "{both}", itoa(w.both.ID), "{staff}", itoa(w.providerID),
		"{projectAdmin}", itoa(w.users["projectAdmin"].ID), "{tomorrow}", core.FormatTime(time.Now().Add(24*time.Hour))).Replace(bodies[route.ID])
	var changes []with
	if route.Method == http.MethodPost {
		changes = append(changes, header("Idempotency-Key", "5f9c2d3e-8a41"))
	}
	res := w.sendAs(route, kind, caller, body, changes...)
	conforms(w.t, route, res)
	switch {
	case want != 0:
		assert.Equal(w.t, want, res.StatusCode, "%s %s: %s", kind, caller, res.body)
	case outcomes[route.ID] != 0:
		assert.Equal(w.t, outcomes[route.ID], res.StatusCode, "%s %s: %s", kind, caller, res.body)
	default:
		assert.Contains(w.t, []int{200, 201, 204}, res.StatusCode, "%s %s: %s", kind, caller, res.body)
	}
}

func (w *world) sendAs(route rest.Route, kind, caller, body string, changes ...with) answer {
	w.t.Helper()
	changes = append(changes, header("Sec-Fetch-Site", "same-origin"))
	switch kind {
	case "user":
		changes = append(changes, w.as(caller))
	case "token", "assistant":
		changes = append(changes, w.bearer(caller))
	}
	if strings.HasSuffix(route.Path, "/upload") {
		changes = append(changes, isForm)
	}
	return w.send(route.Method, w.target(route), body, changes...)
}

// Every route that is not open to all has an action of the policy.
func TestEveryRouteHasAnAction(t *testing.T) {
	t.Parallel()
	known := access.Actions()
	for _, route := range setup(t).routes {
		if openToAll[route.ID] {
			continue
		}
		assert.Contains(t, known, route.Action, route.ID)
		assert.Equal(t, strings.HasPrefix(route.Path, "/public/v2/"), route.Action.Ability != core.Ability(""), route.ID)
	}
}
