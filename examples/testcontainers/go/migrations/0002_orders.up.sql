CREATE TABLE orders (
    id int IDENTITY CONSTRAINT pk_orders PRIMARY KEY,
    customer_id int NOT NULL CONSTRAINT fk_orders_customers REFERENCES customers (id),
    amount decimal(10, 2) NOT NULL,
    placed datetime2 NOT NULL CONSTRAINT df_orders_placed DEFAULT SYSUTCDATETIME()
);
