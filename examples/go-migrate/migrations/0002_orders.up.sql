CREATE TABLE orders (
    id int IDENTITY CONSTRAINT pk_orders PRIMARY KEY,
    customer_id int NOT NULL CONSTRAINT fk_orders REFERENCES customers (id),
    amount decimal(10, 2) NOT NULL,
    placed datetime2 NOT NULL CONSTRAINT df_orders DEFAULT SYSUTCDATETIME()
);
CREATE INDEX ix_orders ON orders (customer_id) INCLUDE (amount);
