CREATE TABLE big (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL) ENGINE = InnoDB CHARSET = latin1;
CREATE TABLE small (id int AUTO_INCREMENT PRIMARY KEY, at datetime NOT NULL) ENGINE = InnoDB;
INSERT INTO big SELECT seq - 1, 0, 'a row of many' FROM seq_1_to_$(rows);
