-- WITH CHECK OPTION of a view whose rows are no rows of a table.
--@ source: reasoned
CREATE TABLE t (id int, a int)
GO
--@ source: message 4510
CREATE VIEW v8 AS SELECT id FROM t UNION SELECT a FROM t WITH CHECK OPTION
GO
--@ source: message 4510
CREATE VIEW v9 AS SELECT COUNT(*) AS n FROM t WITH CHECK OPTION
GO
--@ source: message 4510
CREATE VIEW v10 AS SELECT DISTINCT id FROM t WITH CHECK OPTION
GO
--@ source: documentation CREATE VIEW
CREATE VIEW v11 AS SELECT id FROM t WHERE id > 1 WITH CHECK OPTION
GO
--@ source: reasoned
DROP VIEW v11
DROP TABLE t
GO
