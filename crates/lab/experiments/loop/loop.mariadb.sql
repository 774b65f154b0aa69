DELIMITER //
BEGIN NOT ATOMIC
    DECLARE counter int DEFAULT $(rows);
    SET autocommit = $(autocommit);
    WHILE counter > 0 DO
        INSERT INTO my_table (some_text, more_text) VALUES (CONCAT('Num:', counter), CONCAT(counter, ' bottles of beer on the wall'));
        SET counter = counter - 1;
        IF counter % $(commit_rows) = 0 THEN
            COMMIT;
        END IF;
    END WHILE;
    IF (SELECT count(*) FROM my_table) <> $(rows) THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'rows_are_there';
    END IF;
END //
DELIMITER ;
