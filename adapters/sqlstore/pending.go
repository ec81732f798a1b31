package sqlstore

import "imprimatur/ports"

type (
	tenantStore struct {
		conn
		ports.TenantStore
	}
	departmentStore struct {
		conn
		ports.DepartmentStore
	}
	customRoleStore struct {
		conn
		ports.CustomRoleStore
	}
	projectStore struct {
		conn
		ports.ProjectStore
	}
	userStore struct {
		conn
		ports.UserStore
	}
	grantStore struct {
		conn
		ports.GrantStore
	}
	sessionStore struct {
		conn
		ports.SessionStore
	}
	tokenStore struct {
		conn
		ports.TokenStore
	}
	collectionStore struct {
		conn
		ports.CollectionStore
	}
	mediaStore struct {
		conn
		ports.MediaStore
	}
)
