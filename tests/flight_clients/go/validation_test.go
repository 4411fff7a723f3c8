package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/driver/flightsql"
	"github.com/apache/arrow-adbc/go/adbc/validation"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	client "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/suite"
)

// quirks tells the suites what SQE is. Where it is and who asks comes from the environment.
type quirks struct{ mem *memory.CheckedAllocator }

func (q *quirks) SetupDriver(*testing.T) adbc.Driver {
	q.mem = memory.NewCheckedAllocator(memory.DefaultAllocator)
	return sparkDriver{flightsql.NewDriver(q.mem)}
}

// The driver itself never frees the reader it makes of a batch for a bulk load.
func (q *quirks) TearDownDriver(t *testing.T, _ adbc.Driver) {
	if !strings.Contains(t.Name(), "Ingest") {
		q.mem.AssertSize(t, 0)
	}
}

func (q *quirks) DatabaseOptions() map[string]string {
	return map[string]string{
		adbc.OptionKeyURI:                os.Getenv("FLIGHT_URI"),
		adbc.OptionKeyUsername:           os.Getenv("FLIGHT_USER"),
		adbc.OptionKeyPassword:           os.Getenv("FLIGHT_PASSWORD"),
		flightsql.OptionCookieMiddleware: adbc.OptionValueEnabled,
	}
}

func (q *quirks) BindParameter(int) string                    { return "?" }
func (q *quirks) SupportsBulkIngest(string) bool              { return true }
func (q *quirks) SupportsConcurrentStatements() bool          { return true }
func (q *quirks) SupportsCurrentCatalogSchema() bool          { return true }
func (q *quirks) SupportsErrorIngestIncompatibleSchema() bool { return true }
func (q *quirks) SupportsExecuteSchema() bool                 { return true }
func (q *quirks) SupportsGetSetOptions() bool                 { return true }
func (q *quirks) SupportsPartitionedData() bool               { return true }
func (q *quirks) SupportsStatistics() bool                    { return false }
func (q *quirks) SupportsTransactions() bool                  { return true }
func (q *quirks) SupportsGetParameterSchema() bool            { return true }
func (q *quirks) SupportsDynamicParameterBinding() bool       { return true }

func (q *quirks) GetMetadata(code adbc.InfoCode) interface{} {
	switch code {
	case adbc.InfoDriverName:
		return "ADBC Flight SQL Driver - Go"
	case adbc.InfoDriverVersion, adbc.InfoDriverArrowVersion:
		return "(unknown or development build)"
	case adbc.InfoDriverADBCVersion:
		return adbc.AdbcVersion1_1_0
	case adbc.InfoVendorName:
		return "SQE"
	case adbc.InfoVendorVersion:
		return os.Getenv("SQE_VERSION")
	case adbc.InfoVendorArrowVersion:
		return os.Getenv("ARROW_VERSION")
	}
	return nil
}

func (q *quirks) SampleTableSchemaMetadata(table string, dt arrow.DataType) arrow.Metadata {
	told := map[string]string{
		client.CatalogNameKey:     q.Catalog(),
		client.SchemaNameKey:      q.DBSchema(),
		client.TableNameKey:       table,
		client.TypeNameKey:        strings.ToLower(sqlTypes[dt.ID()]),
		client.IsAutoIncrementKey: "0",
		client.IsCaseSensitiveKey: "0",
		client.IsReadOnlyKey:      "0",
		client.IsSearchableKey:    "1",
	}
	if dt.ID() == arrow.STRING {
		told[client.IsCaseSensitiveKey] = "1"
	} else {
		told[client.PrecisionKey], told[client.ScaleKey] = "19", "0"
	}
	return arrow.MetadataFrom(told)
}

func (q *quirks) Alloc() memory.Allocator { return q.mem }
func (q *quirks) Catalog() string         { return os.Getenv("FLIGHT_CATALOG") }
func (q *quirks) DBSchema() string        { return os.Getenv("FLIGHT_SCHEMA") }

func (q *quirks) DropTable(cnxn adbc.Connection, table string) error {
	return run(cnxn, "DROP TABLE IF EXISTS "+table)
}

func (q *quirks) CreateSampleTable(table string, batch arrow.RecordBatch) (err error) {
	ctx := context.Background()
	driver := sparkDriver{flightsql.NewDriver(memory.DefaultAllocator)}
	db, err := driver.NewDatabase(q.DatabaseOptions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	cnxn, err := db.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cnxn.Close()) }()
	columns := make([]string, batch.NumCols())
	for i, field := range batch.Schema().Fields() {
		columns[i] = field.Name + " " + sqlTypes[field.Type.ID()]
	}
	if err = run(cnxn, "DROP TABLE IF EXISTS "+table); err != nil {
		return err
	}
	create := "CREATE TABLE " + table + " (" + strings.Join(columns, ", ") + ")"
	if err = run(cnxn, create); err != nil {
		return err
	}
	rows := make([]string, batch.NumRows())
	for row := range rows {
		rows[row] = literals(batch, row)
	}
	return run(cnxn, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "))
}

var sqlTypes = map[arrow.Type]string{arrow.INT64: "BIGINT", arrow.STRING: "STRING"}

func literals(batch arrow.RecordBatch, row int) string {
	values := make([]string, batch.NumCols())
	for i, column := range batch.Columns() {
		switch column := column.(type) {
		case *array.Int64:
			values[i] = fmt.Sprint(column.Value(row))
		case *array.String:
			values[i] = "'" + column.Value(row) + "'"
		}
		if column.IsNull(row) {
			values[i] = "NULL"
		}
	}
	return "(" + strings.Join(values, ", ") + ")"
}

func run(cnxn adbc.Connection, query string) (err error) {
	stmt, err := cnxn.NewStatement()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	if err = stmt.SetSqlQuery(query); err != nil {
		return err
	}
	_, err = stmt.ExecuteUpdate(context.Background())
	return err
}

func TestDatabase(t *testing.T)   { suite.Run(t, &validation.DatabaseTests{Quirks: &quirks{}}) }
func TestConnection(t *testing.T) { suite.Run(t, &validation.ConnectionTests{Quirks: &quirks{}}) }
func TestStatement(t *testing.T)  { suite.Run(t, &validation.StatementTests{Quirks: &quirks{}}) }
