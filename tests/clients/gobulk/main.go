// go-mssqldb's bulk copy against a running server: HOST PORT PASSWORD WORKLOADS.
package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

func check(name string, got, expected any) {
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		fmt.Fprintf(os.Stderr, "FAILED %s: got %v, expected %v\n", name, got, expected)
		os.Exit(1)
	}
	fmt.Println("ok", name)
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED", err)
		os.Exit(1)
	}
	return v
}

// load copies rows in one transaction; the error of whichever step fails.
func load(db *sql.DB, table string, options mssql.BulkOptions, columns []string, rows [][]any) (int64, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer func() {
		// Not in a panic of the driver: the rollback would wait for the statement that has panicked.
		if p := recover(); p != nil {
			panic(p)
		}
		tx.Rollback()
	}()
	statement, err := tx.Prepare(mssql.CopyIn(table, options, columns...))
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	for _, row := range rows {
		if _, err = statement.Exec(row...); err != nil {
			return 0, err
		}
	}
	result, err := statement.Exec()
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, tx.Commit()
}

func number(err error) any {
	var e mssql.Error
	if errors.As(err, &e) {
		return e.Number
	}
	return err
}

func main() {
	dsn := fmt.Sprintf("sqlserver://sa:%s@%s:%s?encrypt=true&TrustServerCertificate=true", strings.ReplaceAll(os.Args[3], "!", "%21"), os.Args[1], os.Args[2])
	db := must(sql.Open("sqlserver", dsn))
	must(db.Exec("CREATE DATABASE GoBulk"))
	db.Close()
	db = must(sql.Open("sqlserver", dsn+"&database=GoBulk"))
	defer db.Close()
	must(db.Exec(`CREATE TABLE t (i int NOT NULL, b bit, ti tinyint, si smallint, bi bigint, de decimal(20,4), f float, r real, m money,
		vc varchar(20), nv nvarchar(20), ch char(5), vb varbinary(8), dt datetime, d2 datetime2(7), d date, tm time(7),
		dto datetimeoffset(7), g uniqueidentifier, vmax varchar(max), nmax nvarchar(max), vbmax varbinary(max))`))
	columns := strings.Split("i,b,ti,si,bi,de,f,r,m,vc,nv,ch,vb,dt,d2,d,tm,dto,g,vmax,nmax,vbmax", ",")
	const n = 4000
	when := time.Date(2026, 11, 21, 12, 34, 56, 120_000_000, time.UTC)
	guid := []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}
	var rows [][]any
	for i := int64(0); i < n; i++ {
		row := make([]any, len(columns))
		row[0] = i
		if i%7 != 3 {
			row = []any{i, i%2 == 0, i % 256, i%32768 - 16000, i * 1_000_000_000_003, float64(i) / 16, float64(i) / 3, float64(i) / 8,
				fmt.Sprintf("%d.25", i), fmt.Sprintf("text %d", i), fmt.Sprintf("你好 %d", i), "abcde", []byte{byte(i), 255}, when, when, when,
				when, when, guid, strings.Repeat("x", int(i%6000)), strings.Repeat("ü😀", int(i%2000)), bytes.Repeat([]byte{byte(i)}, int(i%9000))}
		}
		rows = append(rows, row)
	}
	check("rows loaded", must(load(db, "t", mssql.BulkOptions{Tablock: true, KeepNulls: true, CheckConstraints: true, RowsPerBatch: 100}, columns, rows)), n)
	got := must(db.Query("SELECT i, b, ti, si, bi, CONVERT(float, de), f, CONVERT(float, r), CONVERT(float, m), vc, nv, ch, vb, dt, d2, d, CONVERT(varchar(16), tm), dto, g, vmax, nmax, vbmax FROM t ORDER BY i"))
	count := 0
	for got.Next() {
		cells := make([]any, len(columns))
		places := make([]any, len(columns))
		for c := range cells {
			places[c] = &cells[c]
		}
		if err := got.Scan(places...); err != nil {
			check("scan", err, nil)
		}
		want := append([]any(nil), rows[count]...)
		if want[1] != nil {
			want[8] = float64(count) + 0.25
			want[15] = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
			want[16] = "12:34:56.1200000"
		}
		for c := range cells {
			same := fmt.Sprint(cells[c]) == fmt.Sprint(want[c])
			if t, ok := cells[c].(time.Time); ok {
				same = t.Equal(want[c].(time.Time))
			}
			if !same {
				check(fmt.Sprintf("row %d, column %s", count, columns[c]), cells[c], want[c])
			}
		}
		count++
	}
	check("rows read", count, n)
	check("every value comes back", got.Err(), nil)

	must(db.Exec("CREATE TABLE k (id int NOT NULL CONSTRAINT pk PRIMARY KEY CONSTRAINT positive CHECK (id > 0), v varchar(3) DEFAULT 'dfl')"))
	var many [][]any
	for i := 1; i <= 50000; i++ {
		many = append(many, []any{i, "abc"})
	}
	fails := func(options mssql.BulkOptions, rows [][]any) any {
		_, err := load(db, "k", options, []string{"id", "v"}, rows)
		return number(err)
	}
	check("a duplicate key is 2627", fails(mssql.BulkOptions{}, append(append([][]any(nil), many...), []any{7, "x"})), 2627)
	check("a check constraint is 547", fails(mssql.BulkOptions{CheckConstraints: true}, [][]any{{-1, "x"}}), 547)
	check("a string too long is 4815", fails(mssql.BulkOptions{}, [][]any{{1, "abcd"}}), 4815)
	var left int
	check("a query after them", db.QueryRow("SELECT COUNT(*) FROM k").Scan(&left), nil)
	check("nothing is left", left, 0)
	check("a default", must(load(db, "k", mssql.BulkOptions{}, []string{"id", "v"}, [][]any{{1, nil}, {-2, "x"}})), 2)
	var v string
	check("is there", db.QueryRow("SELECT v FROM k WHERE id = 1").Scan(&v), nil)
	check("and right", v, "dfl")
}
