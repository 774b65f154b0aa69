// Tests of a small shop with GORM. The server is the binary that TAFFRAIL_BINARY names, or the one of PATH; each test has a database of
// its own, whose schema GORM makes of the models.
package shop

import (
	"bufio"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

const password = "Example-only-1!"

var address string

// Customer has orders, and is marked as deleted where others would be gone.
type Customer struct {
	gorm.Model
	Name   string `gorm:"size:80;uniqueIndex"`
	Credit int    `gorm:"default:5;check:credit >= 0"`
	Orders []Order
	Tags   []Tag `gorm:"many2many:customer_tags"`
}

// Order belongs to a customer.
type Order struct {
	ID         uint
	CustomerID uint
	Amount     float64 `gorm:"type:decimal(10,2)"`
	Made       time.Time
}

// Tag is known by its name.
type Tag struct {
	Name string `gorm:"primaryKey;size:20"`
	Text string
}

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

func open(t *testing.T, database string) *gorm.DB {
	u := url.URL{Scheme: "sqlserver", User: url.UserPassword("sa", password), Host: address}
	u.RawQuery = url.Values{"database": {database}, "TrustServerCertificate": {"true"}}.Encode()
	quiet := logger.Default.LogMode(logger.Silent)
	db, err := gorm.Open(sqlserver.Open(u.String()), &gorm.Config{Logger: quiet, TranslateError: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if pool, err := db.DB(); err == nil {
			pool.Close()
		}
	})
	return db
}

// shop is a database of this test with the schema.
func shop(t *testing.T) *gorm.DB {
	name := strings.ToLower(t.Name())
	if err := open(t, "master").Exec("CREATE DATABASE " + name).Error; err != nil {
		t.Fatal(err)
	}
	db := open(t, name)
	if err := db.AutoMigrate(&Customer{}, &Order{}, &Tag{}); err != nil {
		t.Fatal(err)
	}
	return db
}

func must(t *testing.T, db *gorm.DB) {
	t.Helper()
	if db.Error != nil {
		t.Fatal(db.Error)
	}
}

func TestSchema(t *testing.T) {
	db := shop(t)
	if err := db.AutoMigrate(&Customer{}, &Order{}, &Tag{}); err != nil {
		t.Fatal(err)
	}
	m := db.Migrator()
	for _, there := range []bool{
		m.HasTable("customer_tags"), m.HasIndex(&Customer{}, "Name"), m.HasConstraint(&Customer{}, "chk_customers_credit"),
		m.HasColumn(&Order{}, "amount"), m.HasConstraint(&Customer{}, "Orders"),
	} {
		if !there {
			t.Error("something of the schema is missing")
		}
	}
	if err := m.RenameColumn(&Tag{}, "text", "remark"); err != nil {
		t.Fatal(err)
	}
	columns, err := m.ColumnTypes(&Tag{})
	if err != nil || len(columns) != 2 || columns[1].Name() != "remark" {
		t.Error(columns, err)
	}
}

func TestRows(t *testing.T) {
	db := shop(t)
	ann := Customer{Name: "Ann", Orders: []Order{{Amount: 1.5, Made: time.Now()}, {Amount: 2.25, Made: time.Now()}}, Tags: []Tag{{Name: "good"}}}
	must(t, db.Create(&ann))
	must(t, db.CreateInBatches([]Customer{{Name: "Bob"}, {Name: "Cid", Credit: 9}, {Name: "Dan"}}, 2))
	var read Customer
	must(t, db.Preload("Orders").Preload("Tags").First(&read, "name = ?", "Ann"))
	if read.Credit != 5 || len(read.Orders) != 2 || read.Orders[1].Amount != 2.25 || read.Tags[0].Name != "good" {
		t.Errorf("%+v", read)
	}
	var page []Customer
	must(t, db.Order("name").Offset(1).Limit(2).Find(&page))
	if len(page) != 2 || page[0].Name != "Bob" {
		t.Errorf("%+v", page)
	}
	must(t, db.Delete(&Customer{}, "name = ?", "Dan"))
	var alive, all int64
	must(t, db.Model(&Customer{}).Count(&alive))
	must(t, db.Unscoped().Model(&Customer{}).Count(&all))
	if alive != 3 || all != 4 {
		t.Error(alive, all)
	}
	if err := db.Create(&Customer{Name: "Ann"}).Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
		t.Error(err)
	}
}

// What is appended to rows that are there is inserted by a MERGE beside them; GORM gives its new rows the first identities that come back.
func TestAppended(t *testing.T) {
	db := shop(t)
	ann := Customer{Name: "Ann", Orders: []Order{{Amount: 1, Made: time.Now()}, {Amount: 2, Made: time.Now()}}}
	must(t, db.Create(&ann))
	later := []Order{{Amount: 3, Made: time.Now()}}
	if err := db.Model(&ann).Association("Orders").Append(&later); err != nil {
		t.Fatal(err)
	}
	for n, o := range ann.Orders {
		var read Order
		must(t, db.First(&read, o.ID))
		if read.Amount != float64(n+1) {
			t.Errorf("order %d has the id %d, which is of %v", n+1, o.ID, read.Amount)
		}
	}
	tags := []Tag{{Name: "good", Text: "a"}, {Name: "new", Text: "b"}}
	must(t, db.Create(&Tag{Name: "good", Text: "old"}))
	must(t, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&tags))
	var texts []string
	must(t, db.Model(&Tag{}).Order("name").Pluck("text", &texts))
	if strings.Join(texts, "") != "ab" {
		t.Error(texts)
	}
}

func TestTransactions(t *testing.T) {
	db := shop(t)
	must(t, db.Create(&Customer{Name: "Ann"}))
	no := errors.New("no")
	err := db.Transaction(func(tx *gorm.DB) error {
		must(t, tx.Model(&Customer{}).Where("name = ?", "Ann").Update("credit", gorm.Expr("credit + ?", 1)))
		inner := tx.Transaction(func(tx *gorm.DB) error {
			must(t, tx.Create(&Customer{Name: "Bob"}))
			return no
		})
		if !errors.Is(inner, no) {
			t.Error(inner)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []Customer
	must(t, db.Find(&all))
	if len(all) != 1 || all[0].Credit != 6 {
		t.Errorf("%+v", all)
	}
}
