DELIMITER //
FOR round IN 1 .. $(rounds) DO
    INSERT INTO fill SELECT id, text FROM source;
END FOR //
DELIMITER ;
