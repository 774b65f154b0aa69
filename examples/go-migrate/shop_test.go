// Tests of a small shop: golang-migrate makes its schema, go-mssqldb talks to it. The server is the binary that TAFFRAIL_BINARY
// names, or the one of PATH; each test has a database of its own.
package shop

import (
	"bufio"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/sqlserver"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	mssql "github.com/microsoft/go-mssqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

const password = "Example-only-1!"

var address string

func TestMain(m *testing.M) {
	code, err := withServer(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withServer runs what needs the server while there is one.
func withServer(run func() int) (int, error) {
	data, err := os.MkdirTemp("", "taffrail-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(data)
	binary := os.Getenv("TAFFRAIL_BINARY")
	if binary == "" {
		binary = "taffrail"
	}
	server := exec.Command(binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off", "--console", "off")
	server.Env = append(os.Environ(), "TAFFRAIL_SA_PASSWORD="+password)
	out, err := server.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := server.Start(); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the server did not start: %w", err)
	}
	address = strings.TrimPrefix(strings.Fields(line)[2], "tds=")
	code := run()
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	return code, server.Wait()
}

func dsn(database string) string {
	u := url.URL{Scheme: "sqlserver", User: url.UserPassword("sa", password), Host: address}
	u.RawQuery = url.Values{"database": {database}, "TrustServerCertificate": {"true"}}.Encode()
	return u.String()
}

// migrated is a database of this test with the schema, and what migrates it.
func migrated(t *testing.T) (*sql.DB, *migrate.Migrate) {
	t.Helper()
	master, err := sql.Open("sqlserver", dsn("master"))
	check(t, err)
	name := strings.ReplaceAll(t.Name(), "/", "_")
	_, err = master.Exec("CREATE DATABASE [" + name + "]")
	check(t, err)
	source, err := iofs.New(migrations, "migrations")
	check(t, err)
	m, err := migrate.NewWithSourceInstance("iofs", source, dsn(name))
	check(t, err)
	check(t, m.Up())
	db, err := sql.Open("sqlserver", dsn(name))
	check(t, err)
	t.Cleanup(func() {
		m.Close()
		db.Close()
		_, err := master.Exec("ALTER DATABASE [" + name + "] SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE [" + name + "]")
		check(t, err)
		master.Close()
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
	row := db.QueryRow("INSERT customers (name) OUTPUT inserted.id VALUES (@p1)", name)
	check(t, row.Scan(&id))
	return id
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	check(t, db.QueryRow(query).Scan(&n))
	return n
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
		var e mssql.Error
		if !errors.As(err, &e) || e.Number != number {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestATransactionIsRolledBack(t *testing.T) {
	db, _ := migrated(t)
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	check(t, err)
	_, err = tx.Exec("INSERT customers (name) VALUES ('gone')")
	check(t, err)
	check(t, tx.Rollback())
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
