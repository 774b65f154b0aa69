CREATE TABLE customers (
    id bigint IDENTITY CONSTRAINT pk_customers PRIMARY KEY,
    name nvarchar(100) NOT NULL CONSTRAINT uq_customers UNIQUE
);
GO
CREATE VIEW customer_names AS SELECT name FROM customers;
