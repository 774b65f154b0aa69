// Tests of a small shop against SQL Server in a container: golang-migrate makes its schema, go-mssqldb talks to it.
package shop

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/sqlserver"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	driver "github.com/microsoft/go-mssqldb"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/mssql"
)

//go:embed migrations/*.sql
var migrations embed.FS

var server *mssql.MSSQLServerContainer

func TestMain(m *testing.M) {
	code, err := withServer(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withServer(run func() int) (code int, err error) {
	image := os.Getenv("MSSQL_IMAGE")
	if image == "" {
		image = "mcr.microsoft.com/mssql/server:2022-latest"
	}
	ctx, began := context.Background(), time.Now()
	server, err = mssql.Run(ctx, image, mssql.WithAcceptEULA(), mssql.WithPassword("Example-only-1!"),
		mssql.WithInitSQL(strings.NewReader("CREATE DATABASE shop\nGO\nALTER DATABASE shop SET RECOVERY SIMPLE\n")))
	defer func() { err = errors.Join(err, testcontainers.TerminateContainer(server)) }()
	if err != nil {
		return 0, err
	}
	fmt.Printf("ready after %.1f s\n", time.Since(began).Seconds())
	return run(), nil
}

// migrated is the database with the schema, and what migrates it; the test leaves neither tables nor rows.
func migrated(t *testing.T) (*sql.DB, *migrate.Migrate) {
	t.Helper()
	dsn, err := server.ConnectionString(context.Background(), "database=shop", "TrustServerCertificate=true")
	check(t, err)
	source, err := iofs.New(migrations, "migrations")
	check(t, err)
	m, err := migrate.NewWithSourceInstance("iofs", source, dsn)
	check(t, err)
	check(t, m.Up())
	db, err := sql.Open("sqlserver", dsn)
	check(t, err)
	t.Cleanup(func() {
		db.Close()
		check(t, m.Down())
		m.Close()
	})
	return db, m
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func customer(t *testing.T, db *sql.DB, name string) (id int) {
	t.Helper()
	check(t, db.QueryRow("INSERT customers (name) OUTPUT inserted.id VALUES (@p1)", name).Scan(&id))
	return id
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	check(t, db.QueryRow(query).Scan(&n))
	return n
}

func TestTheInitScriptHasRun(t *testing.T) {
	db, _ := migrated(t)
	if n := count(t, db, "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop' AND recovery_model_desc = 'SIMPLE'"); n != 1 {
		t.Fatal("it has not")
	}
}

func TestRowsComeBack(t *testing.T) {
	db, _ := migrated(t)
	id := customer(t, db, "Müller")
	for _, amount := range []string{"12.50", "7.25"} {
		_, err := db.Exec("INSERT orders (customer_id, amount) VALUES (@id, @amount)", sql.Named("id", id), sql.Named("amount", amount))
		check(t, err)
	}
	var name, total string
	row := db.QueryRow("SELECT c.name, SUM(o.amount) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name")
	check(t, row.Scan(&name, &total))
	if name != "Müller" || total != "19.75" {
		t.Fatalf("%s has %s", name, total)
	}
}

func TestErrorsHaveNumbers(t *testing.T) {
	db, _ := migrated(t)
	customer(t, db, "twice")
	for query, number := range map[string]int32{
		"INSERT customers (name) VALUES ('twice')":           2627,
		"INSERT orders (customer_id, amount) VALUES (99, 1)": 547,
		"INSERT customers (name) VALUES (NULL)":              515,
		"SELECT nothing FROM customers":                      207,
	} {
		_, err := db.Exec(query)
		var e driver.Error
		if !errors.As(err, &e) || e.Number != number {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestATransactionIsRolledBack(t *testing.T) {
	db, _ := migrated(t)
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelSerializable} {
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
		check(t, err)
		_, err = tx.Exec("INSERT customers (name) VALUES ('gone')")
		check(t, err)
		check(t, tx.Rollback())
	}
	if n := count(t, db, "SELECT COUNT(*) FROM customers"); n != 0 {
		t.Fatalf("%d rows", n)
	}
}

func TestMigrationsGoUpAndDown(t *testing.T) {
	db, m := migrated(t)
	if err := m.Up(); !errors.Is(err, migrate.ErrNoChange) {
		t.Fatalf("a second time: %v", err)
	}
	check(t, m.Steps(-1))
	if n := count(t, db, "SELECT COUNT(*) FROM sys.tables WHERE name = 'orders'"); n != 0 {
		t.Fatal("it is still there")
	}
	version, dirty, err := m.Version()
	check(t, err)
	if version != 1 || dirty {
		t.Fatalf("version %d, dirty %t", version, dirty)
	}
	check(t, m.Up())
}
