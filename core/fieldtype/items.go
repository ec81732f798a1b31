package fieldtype

var _ = register(
	Type{
		Name: "group", Kind: Opaque, Form: "an object with the fields of its component", Control: "group", Example: `{"title":"Harbour lights"}`,
		Items: true,
	},
	Type{
		Name: "blocks", Kind: Opaque, Form: "a list of items, each with the fields of the component that _type names", Control: "blocks",
		Example: `[{"_type":"quote","_key":"k1","text":"Still waters run deep."}]`, Items: true,
	},
)
