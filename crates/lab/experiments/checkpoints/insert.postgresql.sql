DO $$
BEGIN
    FOR i IN 1 .. $(rows) LOOP
        INSERT INTO test VALUES (i, 'a');
        IF i % 16 = 0 THEN
            COMMIT;
            $(peer_checkpoint);
        END IF;
    END LOOP;
END $$;
CHECKPOINT;
