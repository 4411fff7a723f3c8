# The rules of a scenario, judged as a policy for Trino would judge them. adapters/opa.py puts in
# which they are.
package PACKAGE

rules := json.unmarshal(RULES)

identity := input.context.identity

operation := input.action.operation

resource := input.action.resource

# What an operation takes; any: whatever is given there.
wanted := {
	"SelectFromColumns": "select",
	"FilterColumns": "select",
	"InsertIntoTable": "insert",
	"UpdateTableColumns": "update",
	"DeleteFromTable": "delete",
	"CreateTable": "create",
	"CreateSchema": "create",
	"DropTable": "drop",
	"DropSchema": "drop",
	"AddColumn": "alter",
	"AlterColumn": "alter",
	"DropColumn": "alter",
	"RenameColumn": "alter",
	"SetColumnComment": "alter",
	"SetTableComment": "alter",
	"SetTableProperties": "alter",
	"AccessCatalog": "any",
	"FilterCatalogs": "any",
	"FilterSchemas": "any",
	"FilterTables": "any",
	"ShowColumns": "any",
	"ShowCreateTable": "any",
	"ExecuteProcedure": "execute",
	"ExecuteQuery": "execute",
	"ImpersonateUser": "impersonate",
	"ViewQueryOwnedBy": "view query",
	"KillQueryOwnedBy": "kill query",
	"SetSystemSessionProperty": "set",
}

place := ["table", resource.table.catalogName, resource.table.schemaName, resource.table.tableName]

place := ["schema", resource.schema.catalogName, resource.schema.schemaName]

place := ["catalog", resource.catalog.name]

place := ["procedure", f.catalogName, f.schemaName, f.functionName] if f := resource.function

place := ["user", resource.user.user]

place := ["property", resource.systemSessionProperty.name]

place := ["system"] if not resource

# Tables, schemas and catalogs hold one another; everything else is by itself.
holds := {"table", "schema", "catalog", "procedure"}

is_for(rule) if rule.to.kind == "public"

is_for(rule) if {
	rule.to.kind == "user"
	rule.to.name == identity.user
}

is_for(rule) if {
	rule.to.kind == "group"
	rule.to.name in identity.groups
}

# The same, as far as both go.
meets(rule) if {
	rule.on[0] in holds
	place[0] in holds
	every i in numbers.range(1, min([count(rule.on), count(place)]) - 1) { fits(rule.on[i], place[i]) }
}

meets(rule) if covers(rule)

covers(rule) if {
	rule.on[0] == place[0]
	count(rule.on) == count(place)
	every i in numbers.range(1, count(place) - 1) { fits(rule.on[i], place[i]) }
}

covers(rule) if rule.on == place

fits(pattern, _) if pattern == "*"

fits(pattern, name) if lower(pattern) == name

gives(rule) if {
	wanted[operation] in rule.privileges
	covers(rule)
}

gives(rule) if {
	wanted[operation] == "any"
	meets(rule)
}

denied if {
	some rule in rules
	rule.deny
	is_for(rule)
	gives(rule)
	wanted[operation] != "any"
}

hidden contains name if {
	some rule in rules
	is_for(rule)
	covers(rule)
	some name in rule.hidden
}

default allow := false

allow if {
	some rule in rules
	not rule.deny
	is_for(rule)
	gives(rule)
	not denied
	count({name | some name in object.get(resource, ["table", "columns"], []); name in hidden}) == 0
}

batch contains i if {
	operation != "FilterColumns"
	some i
	one := input.action.filterResources[i]
	allow with input.action.resource as one
}

# All columns of a table are one resource.
batch contains i if {
	operation == "FilterColumns"
	[table] := input.action.filterResources
	some i
	name := table.table.columns[i]
	one := {"table": object.union(table.table, {"columns": [name]})}
	allow with input.action.resource as one
}

rowFilters contains {"expression": rule.rows} if {
	some rule in rules
	is_for(rule)
	covers(rule)
	rule.rows != ""
}

batchColumnMasks contains {"index": i, "viewExpression": {"expression": expression}} if {
	some i
	column := input.action.filterResources[i].column
	some rule in rules
	is_for(rule)
	covers(rule) with input.action.resource as {"table": column}
	expression := rule.masks[column.columnName]
}

default columnMask := null

columnMask := {"expression": expression} if {
	column := input.action.resource.column
	some rule in rules
	is_for(rule)
	covers(rule) with input.action.resource as {"table": column}
	expression := rule.masks[column.columnName]
}
