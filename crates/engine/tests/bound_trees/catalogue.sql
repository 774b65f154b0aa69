-- What the statements of the chapters name.
CREATE TABLE dbo.customer (
    id int NOT NULL IDENTITY(1, 1) CONSTRAINT pk_customer PRIMARY KEY,
    name nvarchar(50) NOT NULL,
    email varchar(100) NULL CONSTRAINT uq_customer_email UNIQUE,
    city varchar(30) NULL,
    born date NULL,
    credit decimal(10, 2) NOT NULL CONSTRAINT df_customer_credit DEFAULT 0,
    since datetime2(3) NOT NULL CONSTRAINT df_customer_since DEFAULT SYSUTCDATETIME(),
    parent int NULL CONSTRAINT fk_customer_parent REFERENCES dbo.customer (id),
    notes varchar(max) NULL,
    profile xml NULL
);
CREATE INDEX ix_customer_city ON dbo.customer (city) INCLUDE (name);
CREATE TABLE dbo.product (
    code char(8) NOT NULL CONSTRAINT pk_product PRIMARY KEY,
    title nvarchar(80) NOT NULL,
    price money NOT NULL CONSTRAINT ck_product_price CHECK (price >= 0),
    weight float NULL,
    stock smallint NOT NULL CONSTRAINT df_product_stock DEFAULT 0,
    active bit NOT NULL CONSTRAINT df_product_active DEFAULT 1,
    picture varbinary(max) NULL
);
CREATE TABLE dbo.orders (
    id int NOT NULL CONSTRAINT pk_orders PRIMARY KEY,
    customer_id int NOT NULL CONSTRAINT fk_orders_customer REFERENCES dbo.customer (id),
    placed datetime NOT NULL CONSTRAINT df_orders_placed DEFAULT GETDATE(),
    shipped date NULL,
    status tinyint NOT NULL CONSTRAINT ck_orders_status CHECK (status BETWEEN 0 AND 4),
    total decimal(12, 2) NULL,
    reference uniqueidentifier NULL
);
CREATE INDEX ix_orders_customer ON dbo.orders (customer_id, placed DESC);
CREATE TABLE dbo.line (
    order_id int NOT NULL CONSTRAINT fk_line_orders REFERENCES dbo.orders (id) ON DELETE CASCADE,
    no smallint NOT NULL,
    product char(8) NOT NULL CONSTRAINT fk_line_product REFERENCES dbo.product (code),
    quantity int NOT NULL,
    price money NOT NULL,
    discount real NULL,
    CONSTRAINT pk_line PRIMARY KEY (order_id, no)
);
-- A heap without keys.
CREATE TABLE dbo.archive (id int NULL, name nvarchar(50) NULL, at datetime2(0) NULL, weight bigint NULL);
-- Names that need brackets.
CREATE TABLE dbo.[price list] ([the code] char(8) NOT NULL PRIMARY KEY, [from] date NOT NULL, [a]]b] int NULL);
GO
CREATE SCHEMA hr;
GO
CREATE TABLE hr.staff (
    id int NOT NULL CONSTRAINT pk_staff PRIMARY KEY,
    boss int NULL,
    name varchar(40) NOT NULL,
    pay smallmoney NULL,
    hired smalldatetime NULL,
    shift time(0) NULL,
    seen datetimeoffset(7) NULL
);
GO
CREATE VIEW dbo.local_customer AS SELECT id, name, city FROM dbo.customer WHERE city = 'Ghent';
GO
CREATE VIEW dbo.sales (customer, orders, total) AS
    SELECT customer_id, COUNT(*), SUM(total) FROM dbo.orders GROUP BY customer_id;
GO
CREATE VIEW dbo.local_sales AS
    SELECT c.name, s.orders, s.total AS amount FROM dbo.local_customer AS c JOIN dbo.sales AS s ON s.customer = c.id;
GO
CREATE VIEW dbo.people AS SELECT name FROM dbo.customer UNION ALL SELECT name FROM hr.staff;
