# Who may do what on the stack, for SQE as for Trino: engineers and administrators everything in the
# catalog lake; analysts read its sales, of which they see the Dutch ones, without amounts.
package trino

default allow := false

groups := input.context.identity.groups

operation := input.action.operation

trusted if "engineers" in groups

trusted if "admins" in groups

allow if trusted

allow if {
	"analysts" in groups
	operation in {"ExecuteQuery", "SetSystemSessionProperty"}
}

allow if {
	"analysts" in groups
	operation in {"AccessCatalog", "FilterCatalogs", "ShowSchemas"}
	input.action.resource.catalog.name == "lake"
}

allow if {
	"analysts" in groups
	operation in {"ShowTables", "FilterSchemas"}
	input.action.resource.schema.schemaName == "sales"
}

allow if {
	"analysts" in groups
	operation in {"SelectFromColumns", "FilterTables", "FilterColumns", "ShowColumns"}
	input.action.resource.table.catalogName == "lake"
	input.action.resource.table.schemaName == "sales"
}

# Lists: the places of what may be shown.
batch contains i if {
	operation != "FilterColumns"
	some i
	one := input.action.filterResources[i]
	allow with input.action.resource as one
}

# All columns of a table come as one resource.
batch contains i if {
	operation == "FilterColumns"
	[whole] := input.action.filterResources
	some i
	name := whole.table.columns[i]
	one := {"table": object.union(whole.table, {"columns": [name]})}
	allow with input.action.resource as one
}

rowFilters contains {"expression": "country = 'NL'"} if {
	not trusted
	input.action.resource.table.tableName == "orders"
}

batchColumnMasks contains {"index": i, "viewExpression": {"expression": "NULL"}} if {
	not trusted
	some i
	column := input.action.filterResources[i].column
	[column.tableName, column.columnName] == ["orders", "amount"]
}
