CREATE TABLE big (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL);
CREATE TABLE small (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamp NOT NULL);
INSERT INTO big SELECT i, 0, 'a row of many' FROM generate_series(0, $(rows) - 1) AS i;
CHECKPOINT;
