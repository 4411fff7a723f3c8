// Package clients runs the Go ADBC driver's own validation suites against SQE.
package clients

import (
	"context"
	"os"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
)

// The suites write names in double quotes. SQE speaks Spark's SQL, where those are strings and
// names stand in backticks; nothing else about the statements is changed.
func inSparkSQL(query string) string { return strings.ReplaceAll(query, `"`, "`") }

type database interface {
	adbc.Database
	adbc.GetSetOptions
}

type connection interface {
	adbc.Connection
	adbc.GetSetOptions
}

type statement interface {
	adbc.Statement
	adbc.GetSetOptions
	adbc.StatementExecuteSchema
}

type sparkDriver struct{ adbc.Driver }

func (d sparkDriver) NewDatabase(options map[string]string) (adbc.Database, error) {
	db, err := d.Driver.NewDatabase(options)
	if err != nil {
		return nil, err
	}
	return sparkDatabase{db.(database)}, nil
}

// The suites create tables wherever a new connection happens to be: here, in a schema of theirs.
type sparkDatabase struct{ database }

func (d sparkDatabase) Open(ctx context.Context) (adbc.Connection, error) {
	opened, err := d.database.Open(ctx)
	if err != nil {
		return nil, err
	}
	made := sparkConnection{opened.(connection)}
	return made, made.SetOption(adbc.OptionKeyCurrentDbSchema, os.Getenv("FLIGHT_SCHEMA"))
}

type sparkConnection struct{ connection }

func (c sparkConnection) NewStatement() (adbc.Statement, error) {
	made, err := c.connection.NewStatement()
	if err != nil {
		return nil, err
	}
	return &sparkStatement{made.(statement), c.connection, false}, nil
}

type sparkStatement struct {
	statement
	connection connection
	bound      bool
}

func (s *sparkStatement) Bind(ctx context.Context, values arrow.RecordBatch) error {
	s.bound = true
	return s.statement.Bind(ctx, values)
}

// After a bulk load the driver keeps the loaded batch, and refuses the next query because of it.
// So that the suites can ask what was loaded, such a query gets a statement of its own.
func (s *sparkStatement) SetSqlQuery(query string) error {
	if s.bound {
		if err := s.statement.Close(); err != nil {
			return err
		}
		made, err := s.connection.NewStatement()
		if err != nil {
			return err
		}
		s.statement, s.bound = made.(statement), false
	}
	return s.statement.SetSqlQuery(inSparkSQL(query))
}
