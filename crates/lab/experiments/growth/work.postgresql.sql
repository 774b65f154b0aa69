DO $$
BEGIN
    FOR round IN 1 .. $(rounds) LOOP
        INSERT INTO fill SELECT id, text FROM source;
        COMMIT;
    END LOOP;
END $$;
