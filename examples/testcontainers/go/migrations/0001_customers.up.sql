CREATE TABLE customers (
    id int IDENTITY CONSTRAINT pk_customers PRIMARY KEY,
    name nvarchar(100) NOT NULL CONSTRAINT uq_customers UNIQUE
);
