SET synchronous_commit = $(synchronous_commit);
DO $$
BEGIN
    FOR counter IN 1 .. $(count) LOOP
        INSERT INTO demo_table (col2) VALUES (counter);
        COMMIT;
    END LOOP;
END $$;
-- A durable commit writes the log of all before it.
SET synchronous_commit = on;
INSERT INTO demo_table (col2) VALUES ('the end');
