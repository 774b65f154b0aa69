DO $$
DECLARE
    counter int := $(rows);
BEGIN
    WHILE counter > 0 LOOP
        INSERT INTO my_table (some_text, more_text) VALUES ('Num:' || counter, counter || ' bottles of beer on the wall');
        counter := counter - 1;
        IF counter % $(commit_rows) = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
    IF (SELECT count(*) FROM my_table) <> $(rows) THEN
        RAISE EXCEPTION 'rows_are_there: % of $(rows)', (SELECT count(*) FROM my_table);
    END IF;
END $$;
