-- A table may be met once among those that a DELETE or an UPDATE comes to. What is set to NULL or to its default is an UPDATE of its row.
--@ source: documentation 1785: one list for DELETE, one for UPDATE
CREATE TABLE b (id int PRIMARY KEY)
CREATE TABLE a (id int PRIMARY KEY, b int NULL REFERENCES b ON DELETE SET NULL)
CREATE TABLE ab (a int REFERENCES a ON DELETE CASCADE, b int REFERENCES b ON DELETE CASCADE, PRIMARY KEY (a, b))
INSERT b VALUES (1), (2)
INSERT a VALUES (10, 1), (20, 2)
INSERT ab VALUES (10, 1), (10, 2), (20, 1), (20, 2)
DELETE b WHERE id = 1
SELECT id, b FROM a ORDER BY id
SELECT a, b FROM ab ORDER BY a
DELETE a WHERE id = 20
SELECT a, b FROM ab
DROP TABLE ab, a, b
GO
--@ source: documentation 1785: the second key is met by UPDATE alone
CREATE TABLE p (id int PRIMARY KEY)
CREATE TABLE c (x int CONSTRAINT fk_x REFERENCES p ON DELETE CASCADE, y int CONSTRAINT fk_y REFERENCES p ON UPDATE CASCADE)
INSERT p VALUES (1), (2)
INSERT c VALUES (1, 2)
UPDATE p SET id = 3 WHERE id = 2
SELECT x, y FROM c
DELETE p WHERE id = 1
SELECT x, y FROM c
DROP TABLE c, p
GO
--@ source: documentation 1785: set to NULL, and deleted by way of another table
CREATE TABLE users (id int PRIMARY KEY)
CREATE TABLE posts (id int PRIMARY KEY, author int REFERENCES users ON DELETE CASCADE)
CREATE TABLE comments (id int, author int CONSTRAINT fk_author REFERENCES users ON DELETE SET NULL, post int CONSTRAINT fk_post REFERENCES posts ON DELETE CASCADE)
GO
--@ source: documentation 1785
CREATE TABLE comments (id int, author int CONSTRAINT fk_one REFERENCES users ON DELETE SET NULL, other int CONSTRAINT fk_two REFERENCES users ON DELETE SET NULL)
GO
--@ source: documentation 1785: the row that is set to NULL is updated, and its key goes on by UPDATE
CREATE TABLE keyed (id int PRIMARY KEY, author int NULL UNIQUE REFERENCES users ON DELETE SET NULL)
CREATE TABLE comments (author int CONSTRAINT fk_keyed REFERENCES keyed (author) ON UPDATE CASCADE, other int CONSTRAINT fk_other REFERENCES users ON DELETE CASCADE)
GO
--@ source: documentation 1785: a table that refers to itself
CREATE TABLE tree (id int PRIMARY KEY, parent int CONSTRAINT fk_tree REFERENCES tree ON DELETE SET NULL)
GO
--@ source: reasoned
-- No list begins twice: the keys that do nothing are no way.
CREATE TABLE comments (id int, author int REFERENCES users, post int REFERENCES posts ON DELETE CASCADE)
DROP TABLE comments, keyed, posts, users
GO
