CREATE TABLE orders (
    id bigint IDENTITY CONSTRAINT pk_orders PRIMARY KEY,
    customer_id bigint NOT NULL CONSTRAINT fk_orders REFERENCES customers (id),
    amount numeric(10, 2) NOT NULL,
    placed datetime2(6) NOT NULL CONSTRAINT df_orders DEFAULT SYSUTCDATETIME()
);
CREATE INDEX ix_orders ON orders (customer_id) INCLUDE (amount);
