package wire

import (
	"reflect"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/review"
	"imprimatur/core/signing"
)

// Documents has, for each type of core with a JSON form of its own, the type of this package that
// describes its members in the OpenAPI document. Both have the same members; TestDocuments compares
// them.
var Documents = map[reflect.Type]reflect.Type{
	reflect.TypeFor[core.FieldType]():         reflect.TypeFor[FieldType](),
	reflect.TypeFor[core.ActorRef]():          reflect.TypeFor[ActorRef](),
	reflect.TypeFor[core.FocalPoint]():        reflect.TypeFor[FocalPoint](),
	reflect.TypeFor[core.SealedItem]():        reflect.TypeFor[SealedItem](),
	reflect.TypeFor[review.Outcome]():         reflect.TypeFor[AuditState](),
	reflect.TypeFor[review.SignatureRule]():   reflect.TypeFor[SignatureRule](),
	reflect.TypeFor[review.Assertion]():       reflect.TypeFor[Assertion](),
	reflect.TypeFor[review.Signature]():       reflect.TypeFor[Signature](),
	reflect.TypeFor[review.Escalation]():      reflect.TypeFor[Escalation](),
	reflect.TypeFor[review.Condition]():       reflect.TypeFor[Condition](),
	reflect.TypeFor[approval.WorkflowStep]():  reflect.TypeFor[WorkflowStep](),
	reflect.TypeFor[approval.Action]():        reflect.TypeFor[ApprovalAction](),
	reflect.TypeFor[approval.AuditedAction](): reflect.TypeFor[AuditedAction](),
	reflect.TypeFor[approval.AuditTerms]():    reflect.TypeFor[AuditTerms](),
	reflect.TypeFor[approval.AuditRelease]():  reflect.TypeFor[AuditRelease](),
	reflect.TypeFor[review.RecordedMember]():  reflect.TypeFor[RecordedMember](),
	reflect.TypeFor[review.MemberBase]():      reflect.TypeFor[MemberBase](),
	reflect.TypeFor[review.Approval]():        reflect.TypeFor[Approval](),
	reflect.TypeFor[approval.Record]():        reflect.TypeFor[Record](),
	reflect.TypeFor[proof.Proof]():            reflect.TypeFor[Proof](),
	reflect.TypeFor[proof.Subject]():          reflect.TypeFor[Subject](),
	reflect.TypeFor[proof.KeyName]():          reflect.TypeFor[KeyName](),
	reflect.TypeFor[signing.KeyDocument]():    reflect.TypeFor[KeyDocument](),
	reflect.TypeFor[signing.PublicKey]():      reflect.TypeFor[PublicKey](),
}
