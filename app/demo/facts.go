package demo

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Facts is what somebody needs to try the example organisation: demo.json.
type Facts struct {
	BaseURL     string             `json:"baseUrl"`
	OpsURL      string             `json:"opsUrl"`
	TenantID    int64              `json:"tenantId"`
	Departments Departments        `json:"departments"`
	CustomRoles CustomRoles        `json:"customRoles"`
	Projects    Projects           `json:"projects"`
	Collections CollectionIDs      `json:"collections"`
	Users       map[string]Account `json:"users"`
	Tokens      Tokens             `json:"tokens"`
}

// Departments holds the ids of the departments.
type Departments struct {
	Newsroom  int64 `json:"newsroom"`
	Marketing int64 `json:"marketing"`
}

// CustomRoles holds the ids of the custom roles.
type CustomRoles struct {
	Legal int64 `json:"legal"`
}

// Projects holds how to reach the projects.
type Projects struct {
	WorldDesk         ProjectRef `json:"worldDesk"`
	Blog              ProjectRef `json:"blog"`
	InvestorRelations ProjectRef `json:"investorRelations"`
	Archive           ProjectRef `json:"archive"`
}

// ProjectRef holds a project's two ids.
type ProjectRef struct {
	ID   int64  `json:"id"`
	UUID string `json:"uuid"`
}

// CollectionIDs holds the ids of the collections: countries and articles of World
// Desk, posts of Blog, notices of Investor Relations.
type CollectionIDs struct {
	Countries int64 `json:"countries"`
	Articles  int64 `json:"articles"`
	Posts     int64 `json:"posts"`
	Notices   int64 `json:"notices"`
}

// Account is how to sign in as one of the users.
type Account struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Tokens holds the secrets of the API tokens.
type Tokens struct {
	WorldDesk struct {
		Full     string `json:"full"`
		ReadOnly string `json:"readOnly"`
		Drafts   string `json:"drafts"`
		NoRead   string `json:"noRead"`
	} `json:"worldDesk"`
	Blog struct {
		Full     string `json:"full"`
		ReadOnly string `json:"readOnly"`
	} `json:"blog"`
}

const factsFile = "demo.json"

// Load reads the facts of an organisation that an earlier run left in dir. The
// error is fs.ErrNotExist when there is none.
func Load(dir string) (Facts, error) {
	var facts Facts
	text, err := os.ReadFile(filepath.Join(dir, factsFile))
	if err != nil {
		return facts, err
	}
	return facts, json.Unmarshal(text, &facts)
}

// Save writes the facts to demo.json in dir, for its owner's eyes: it holds
// passwords and tokens.
func (f Facts) Save(dir string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	temporary := filepath.Join(dir, factsFile+".new")
	if err := os.WriteFile(temporary, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, factsFile))
}
